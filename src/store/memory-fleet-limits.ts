import { cutFleetLimit } from "../domain/cut-fleet-limit.ts";
import {
  type FleetLease,
  type FleetLimit,
  type FleetLimits,
  type FleetRefusal,
  leaseTurns,
  newFleetLimit,
} from "../domain/fleet-limit.ts";

/** The limits that the gateways of one process share. */
export class MemoryFleetLimits implements FleetLimits {
  readonly #limits = new Map<string, FleetLimit>();

  async lease(providerKey: string, calls: number, nowMs: number): Promise<FleetLease> {
    const known = this.#limits.get(providerKey) ?? newFleetLimit(nowMs);
    const { limit, lease } = leaseTurns(known, calls, nowMs);
    this.#limits.set(providerKey, limit);
    return lease;
  }

  async episode(providerKey: string): Promise<number> {
    return this.#limits.get(providerKey)?.episode ?? 0;
  }

  async cut(providerKey: string, refusal: FleetRefusal, nowMs: number): Promise<void> {
    const known = this.#limits.get(providerKey);
    const cut = known && cutFleetLimit(known, refusal, nowMs);
    if (cut) this.#limits.set(providerKey, cut);
  }
}
