import type { ChildHandle } from "./child-process.ts";

/** Children that wait for their next task, and tasks that wait a little for such a child. */
export class IdleChildren {
  readonly #idle: ChildHandle[] = [];
  readonly #waiting: ((child: ChildHandle | null) => void)[] = [];
  readonly #bury: (dead: ChildHandle) => void;

  constructor(bury: (dead: ChildHandle) => void) {
    this.#bury = bury;
  }

  put(child: ChildHandle): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#idle.push(child);
    else waiting(child);
  }

  /** An idle child may have died since; then the next one serves. */
  take(): ChildHandle | null {
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) {
      if (child.exit === null) return child;
      this.#bury(child);
    }
    return null;
  }

  /** The next child that becomes idle, unless that takes longer than starting one would. */
  async takeWithin(waitMs: number): Promise<ChildHandle | null> {
    const child = this.take();
    if (child !== null) return child;
    const { promise, resolve } = Promise.withResolvers<ChildHandle | null>();
    this.#waiting.push(resolve);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      resolve(null);
    }, waitMs);
    const found = await promise;
    clearTimeout(timer);
    return found;
  }
}
