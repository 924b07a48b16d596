import { cutFleetLimit } from "../domain/cut-fleet-limit.ts";
import {
  type FleetLease,
  FleetLimit,
  type FleetLimits,
  type FleetRefusal,
  leaseTurns,
  newFleetLimit,
} from "../domain/fleet-limit.ts";
import { readStored } from "./read-stored.ts";
import type { SqliteRows } from "./sqlite-rows.ts";

const FIND = "SELECT fleet_limit FROM fleet_limits WHERE provider = :provider";
const SAVE = `
  INSERT INTO fleet_limits (provider, fleet_limit) VALUES (?, ?)
  ON CONFLICT DO UPDATE SET fleet_limit = excluded.fleet_limit`;

/** The limits that the processes of one machine share; each step reads and writes in one transaction. */
export class SqliteFleetLimits implements FleetLimits {
  readonly #rows: SqliteRows;

  constructor(rows: SqliteRows) {
    this.#rows = rows;
  }

  async lease(providerKey: string, calls: number, nowMs: number): Promise<FleetLease> {
    return this.#rows.together(() => {
      const { limit, lease } = leaseTurns(this.#find(providerKey) ?? newFleetLimit(nowMs), calls, nowMs);
      this.#save(providerKey, limit);
      return lease;
    });
  }

  async episode(providerKey: string): Promise<number> {
    return this.#find(providerKey)?.episode ?? 0;
  }

  async cut(providerKey: string, refusal: FleetRefusal, nowMs: number): Promise<void> {
    this.#rows.together(() => {
      const known = this.#find(providerKey);
      const cut = known && cutFleetLimit(known, refusal, nowMs);
      if (cut) this.#save(providerKey, cut);
    });
  }

  #find(providerKey: string): FleetLimit | null {
    const [row] = this.#rows.read(FIND, { provider: JSON.stringify(providerKey) });
    return row === undefined ? null : readStored(FleetLimit, row.fleet_limit, "The limit of a provider");
  }

  #save(providerKey: string, limit: FleetLimit): void {
    this.#rows.write(SAVE, [JSON.stringify(providerKey), JSON.stringify({ v: 1, ...limit })]);
  }
}
