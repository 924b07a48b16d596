import { EvaluatorError } from "../../domain/errors.ts";
import {
  cutFleetLimit,
  type FleetLease,
  FleetLimit,
  type FleetLimits,
  type FleetRefusal,
  leaseTurns,
  newFleetLimit,
  searchTurns,
} from "../../domain/fleet-limit.ts";
import { type DynamoItems, type Item, itemOf, number } from "./items.ts";
import { type Key, limiterKey } from "./keys.ts";

const MAX_TRIES = 8;
/** Beyond this age what was seen of an item is too old to name a price by. */
const SEEN_FOR_MS = 1_000;

/**
 * The limits that all runners of an account share. A lease adds to one item and holds on two conditions alone, that of
 * its episode and whether there is a queue, so that hundreds of leases a second do not get in each other's way.
 */
export class DynamoFleetLimits implements FleetLimits {
  readonly #items: DynamoItems;
  readonly #seen = new Map<string, { readonly limit: FleetLimit; readonly atMs: number }>();

  constructor(items: DynamoItems) {
    this.#items = items;
  }

  async lease(providerKey: string, calls: number, nowMs: number): Promise<FleetLease> {
    const key = limiterKey(providerKey);
    let known = this.#recent(providerKey, nowMs);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      known ??= (await this.#find(key)) ?? (await this.#create(key, nowMs));
      const taken = known && (await this.#take(key, known, calls, nowMs));
      if (taken) {
        this.#seen.set(providerKey, { limit: taken.limit, atMs: nowMs });
        return taken.lease;
      }
      known = null;
    }
    throw tooBusy(providerKey);
  }

  /** What a moment ago was written may be missing, which costs half as much and leaves the item more room. */
  async find(providerKey: string): Promise<FleetLimit | null> {
    const item = await this.#items.get(limiterKey(providerKey), { isConsistent: false });
    return item && fromItem(item);
  }

  async cut(providerKey: string, refusal: FleetRefusal, nowMs: number): Promise<void> {
    const key = limiterKey(providerKey);
    const known = await this.#find(key);
    const cut = known && cutFleetLimit(known, refusal, nowMs);
    if (!cut) return;
    const given = { was: number(refusal.episode) };
    await this.#items.change(key, { set: toItem(cut), given, condition: "#episode = :was" });
    this.#seen.delete(providerKey);
  }

  /** Null when the item is no longer as it was seen. */
  async #take(key: Key, known: FleetLimit, calls: number, nowMs: number) {
    const { limit, lease } = leaseTurns(known, calls, nowMs);
    const tookMs = number(lease.calls * lease.stepMs);
    const counts = { busyMs: tookMs, calls: number(lease.calls) };
    const given = { now: number(nowMs), episode: number(known.episode) };
    const isQueue = known.nextMs >= nowMs;
    const item = await this.#items.change(key, {
      set: isQueue ? {} : { nextMs: number(limit.nextMs) },
      add: isQueue ? { ...counts, nextMs: tookMs } : counts,
      given,
      condition: `#episode = :episode AND #nextMs ${isQueue ? ">=" : "<"} :now`,
    });
    if (item === null) return null;
    const after = fromItem(item);
    const queued = { ...lease, fromMs: after.nextMs - lease.calls * lease.stepMs };
    const isAsKnown = after.calls - lease.calls === known.calls;
    return { limit: after, lease: isAsKnown ? queued : searchTurns(after, queued, nowMs) };
  }

  #recent(providerKey: string, nowMs: number): FleetLimit | null {
    const seen = this.#seen.get(providerKey);
    return seen !== undefined && nowMs - seen.atMs < SEEN_FOR_MS ? seen.limit : null;
  }

  async #find(key: Key): Promise<FleetLimit | null> {
    const item = await this.#items.get(key);
    return item && fromItem(item);
  }

  /** Whoever comes first; a runner may update limits, and nothing but that. */
  async #create(key: Key, nowMs: number): Promise<FleetLimit | null> {
    const limit = newFleetLimit(nowMs);
    const set = toItem(limit);
    const created = await this.#items.change(key, { set, condition: "attribute_not_exists(#episode)" });
    return created && limit;
  }
}

const FIELDS = Object.keys(FleetLimit.shape) as readonly (keyof FleetLimit)[];

/** No ceiling is 0, since no ceiling is that low. */
const toItem = (limit: FleetLimit): Item =>
  itemOf("limiter", Object.fromEntries(FIELDS.map((field) => [field, number(limit[field] ?? 0)])));

function fromItem(item: Item): FleetLimit {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, Number(item[field]?.N)]));
  return FleetLimit.parse({ ...fields, ceiling: fields.ceiling === 0 ? null : fields.ceiling });
}

const tooBusy = (providerKey: string) =>
  new EvaluatorError(
    "store.busy",
    `the limit of ${providerKey} changed ${MAX_TRIES} times while a call asked for its turn; it goes by this process's own limit for a while`,
  );
