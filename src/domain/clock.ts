/** Time as it is passed in, so that tests need not wait. */
export interface Clock {
  /** Wall clock, for what people read; it may jump. */
  now(): Date;
  /** Milliseconds that only ever grow, for measuring. */
  monotonicMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
