import quickstart from "./quickstart.eval.ts";

/** The evaluations that are deployed; each is the default export of a file of its own. */
export default [quickstart];
