import { expect, test, vi } from "vitest";
import { Limits } from "../../src/domain/limits.ts";
import { failure } from "../../src/domain/run/failure.ts";
import type { TaskHost } from "../../src/isolation/isolation.ts";
import { watchCheck, watchRun } from "../../src/isolation/task-clock.ts";

const LIMITS = Limits.parse({});

const aHost = (signal: AbortSignal): TaskHost => ({
  signal,
  call: () => Promise.reject(new Error("not called")),
  serveToken: () => {},
  releaseToken: async () => {},
  step: () => {},
  usage: () => {},
  onWaiting: () => {},
});

test("a run ends with the host's own reason, before it starts or while it is under way", () => {
  const why = failure("budget", "the budget is spent");
  const fail = vi.fn();
  watchRun(aHost(AbortSignal.abort(why)), LIMITS, fail)();
  const end = new AbortController();
  const stop = watchRun(aHost(end.signal), LIMITS, fail);
  end.abort(why);
  stop();
  expect(fail.mock.calls).toEqual([[why], [why]]);
});

test("a run that is ended without a failure is cancelled", () => {
  const fail = vi.fn();
  watchRun(aHost(AbortSignal.abort()), LIMITS, fail)();
  expect(fail).toHaveBeenCalledWith(expect.objectContaining({ cause: "cancelled" }));
});

test("a check of a cancelled evaluation does not begin", () => {
  const fail = vi.fn();
  watchCheck(aHost(AbortSignal.abort()), LIMITS, fail)();
  const message = "the evaluation was cancelled while the checker ran";
  expect(fail).toHaveBeenCalledWith({ cause: "cancelled", fault: "stopped", message });
});

test("after the end nobody is told of anything", () => {
  const end = new AbortController();
  const fail = vi.fn();
  watchRun(aHost(end.signal), LIMITS, fail)();
  end.abort();
  expect(fail).not.toHaveBeenCalled();
});
