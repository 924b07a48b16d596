import { createHash, timingSafeEqual } from "node:crypto";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { RequestError } from "./request-error.ts";

const SHORTEST_TOKEN = 16;

/** Refuses every request that does not bring the token; how long that takes says nothing about the token. */
export function tokenCheck(token: string): (request: Request) => void {
  if (token.length < SHORTEST_TOKEN) {
    throw new EvaluatorError(
      "api.weak_token",
      `the API's token has ${token.length} characters; it needs at least ${SHORTEST_TOKEN} that nobody can guess`,
    );
  }
  const expected = digest(token);
  return ({ headers }) => {
    const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (given === undefined) {
      throw new RequestError(
        "request.no_token",
        "this API needs the header Authorization with the word Bearer, a space and the API's token",
        "headers.authorization",
      );
    }
    if (!timingSafeEqual(digest(given), expected)) {
      throw new RequestError(
        "request.wrong_token",
        "this is not the token of this API",
        "headers.authorization",
      );
    }
  };
}

/** Two digests are equally long, which is what the comparison asks for. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
