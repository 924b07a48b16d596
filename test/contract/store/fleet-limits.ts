import { expect, test } from "vitest";
import type { FleetLease } from "../../../src/domain/fleet-limit.ts";
import type { StoreOpener } from "./opener.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

/** What a store promises to gateways that share a provider. */
export function fleetLimitTests(stores: StoreOpener): void {
  test("turns follow one another, and only the unused ones are gone", async () => {
    const { fleetLimits } = await stores.empty();
    const first = await fleetLimits.lease("openai", 2, NOW_MS);
    expect(first).toMatchObject({ episode: 0, fromMs: NOW_MS, calls: 2 });
    const second = await fleetLimits.lease("openai", 1, NOW_MS + 1);
    expect(second.fromMs).toBeCloseTo(endOf(first), 2);
    const muchLater = NOW_MS + 60_000;
    expect((await fleetLimits.lease("openai", 1, muchLater)).fromMs).toBeCloseTo(muchLater, 2);
  });

  test("no two of a hundred leases at once share a turn", async () => {
    const { fleetLimits } = await stores.empty();
    const asked = Array.from({ length: 100 }, (_, number) => 1 + (number % 3));
    const leases = await Promise.all(asked.map((calls) => leaseAll(calls)));
    async function leaseAll(calls: number): Promise<FleetLease[]> {
      const lease = await fleetLimits.lease("openai", calls, NOW_MS);
      return lease.calls === calls ? [lease] : [lease, ...(await leaseAll(calls - lease.calls))];
    }
    const inOrder = leases.flat().sort((a, b) => a.fromMs - b.fromMs);
    expect(inOrder.reduce((sum, { calls }) => sum + calls, 0)).toBe(asked.reduce((sum, n) => sum + n));
    for (const [place, lease] of inOrder.entries()) {
      const next = inOrder[place + 1];
      if (next !== undefined) expect(next.fromMs).toBeGreaterThan(endOf(lease) - lease.stepMs);
    }
  });

  test("a hundred refusals of one episode are one cut, and leave other providers alone", async () => {
    const { fleetLimits } = await stores.empty();
    const { stepMs } = await fleetLimits.lease("openai", 1, NOW_MS);
    await fleetLimits.lease("gemini", 1, NOW_MS);
    const refusal = { episode: 0, stepMs, waitMs: 30_000 };
    await Promise.all(Array.from({ length: 100 }, () => fleetLimits.cut("openai", refusal, NOW_MS + 100)));
    expect((await fleetLimits.find("openai"))?.episode).toBe(1);
    expect((await fleetLimits.find("gemini"))?.episode).toBe(0);
    const after = await fleetLimits.lease("openai", 1, NOW_MS + 200);
    expect(after).toMatchObject({ episode: 1, calls: 1 });
    expect(after.fromMs).toBeCloseTo(NOW_MS + 30_100, 2);
    expect(after.stepMs).toBeGreaterThan(stepMs);
  });

  test("a provider that nobody asked has no episode to cut", async () => {
    const { fleetLimits } = await stores.empty();
    await fleetLimits.cut("openai", { episode: 0, stepMs: 1, waitMs: null }, NOW_MS);
    expect(await fleetLimits.find("openai")).toBeNull();
    expect(await fleetLimits.lease("a provider # of one's own", 1, NOW_MS)).toMatchObject({ calls: 1 });
  });
}

const endOf = ({ fromMs, stepMs, calls }: FleetLease): number => fromMs + stepMs * calls;
