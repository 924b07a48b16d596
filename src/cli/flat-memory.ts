import { setFlagsFromString } from "node:v8";

/**
 * Has V8 collect what an evaluation leaves behind before it asks for more room, which it would hold on to: with it
 * 10,000 runs take an eighth more memory than 1,000, without it half as much again. A small evaluator also starts
 * its runs' processes faster, because each begins as a copy of its page tables.
 */
export function keepMemoryFlat(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=30");
}
