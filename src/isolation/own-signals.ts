interface Signalling {
  readonly pid: number;
  readonly permission?: { has(scope: string): boolean };
}

/** What Node says when the system refuses a signal. */
const EPERM = -1;

/**
 * Lets a process signal itself and no other, as long as it may not start processes, which could signal anyone.
 * Node's permissions say nothing of signals: with them an agent could stop the evaluator, or open its debugger.
 */
export function keepSignalsHome(own: Signalling): void {
  if (own.permission === undefined || own.permission.has("child")) return;
  const send: unknown = Reflect.get(own, "_kill");
  if (typeof send !== "function") throw new TypeError("this Node sends its signals in another way");
  // Agent code may replace what it can reach, even the methods of functions.
  const { apply } = Reflect;
  const { pid } = own;
  const value = (target: number, signal: number): unknown => {
    const to = target | 0;
    return to === pid || to === 0 || to === -pid ? apply(send, own, [to, signal]) : EPERM;
  };
  Reflect.defineProperty(own, "_kill", { value });
  Reflect.deleteProperty(own, "_debugProcess");
}
