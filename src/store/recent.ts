/** Keeps the few values that were asked for last; what is kept must never change. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.#keep(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#keep(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest);
  }

  #keep(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
  }
}
