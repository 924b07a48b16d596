import type { PriceList } from "./domain/price.ts";
import type { Definition } from "./engine/read-definition.ts";
import { systemClock } from "./engine/system-clock.ts";
import { priceList } from "./providers/price-list.ts";

/** The prices of a definition: its own win over the list. */
export const makePrices = ({ prices }: Definition): PriceList =>
  priceList({ own: prices, now: () => systemClock.now() });
