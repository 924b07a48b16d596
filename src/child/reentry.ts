/** First argument of a run's process. */
export const CHILD_FLAG = "--agent-evaluator-child";

interface State {
  calls: number;
  child: {
    readonly target: number;
    readonly reach: (options: unknown) => void;
    readonly earlier: () => readonly unknown[];
  } | null;
  /** Set while a definition is loaded, which must not evaluate by itself. */
  refuse: (() => void) | null;
}

// One per process, even if a bundle should hold two copies of this module.
const KEY = Symbol.for("agent-evaluator.reentry");
const store = globalThis as { [KEY]?: State };
store[KEY] ??= { calls: 0, child: null, refuse: null };
const state = store[KEY];

/** Makes this process serve the given `evaluate()` of its script; earlier ones give what they gave in the parent. */
export function installReentry(
  target: number,
  reach: (options: unknown) => void,
  earlier: () => readonly unknown[],
): void {
  state.child = { target, reach, earlier };
}

/** Makes every `evaluate()` of this process call this instead, and never return. */
export function refuseToEvaluate(refuse: () => void): void {
  state.refuse = refuse;
}

/** Loads a definition, and ends with the refusal as soon as the file evaluates by itself meanwhile. */
export async function loadWithoutEvaluating<T>(load: () => Promise<T>, refusal: Error): Promise<T> {
  const refused = Promise.withResolvers<never>();
  state.refuse = () => refused.reject(refusal);
  try {
    return await Promise.race([load(), refused.promise]);
  } finally {
    state.refuse = null;
  }
}

/** Counts the evaluator's calls in a script, so that a child can find the one it belongs to. */
export const countCall = (): number => state.calls++;

/** Gives the promise to return instead of evaluating, in a child and where it is refused; null anywhere else. */
export function reenter<T>(call: number, options: unknown): Promise<T> | null {
  const { child, refuse } = state;
  if (child === null && refuse === null) return null;
  const never = new Promise<T>(() => {});
  if (child === null) {
    refuse?.();
    return never;
  }
  if (call === child.target) child.reach(options);
  if (call >= child.target) return never;
  const result = child.earlier()[call];
  // One that is still under way in the parent is still under way here.
  return result === undefined || result === null ? never : Promise.resolve(result as T);
}
