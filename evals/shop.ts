import { z } from "zod";

// What the examples of agents with their own SDK have in common: questions about a shop, and the tool that knows its
// prices. No model can answer without the tool.
const PRICES: Readonly<Record<string, number>> = { lamp: 40, chair: 75, table: 210 };

export const problems = [
  { id: "lamps", problem: "What do 3 lamps cost?", expected: 120 },
  { id: "chairs", problem: "What do 2 chairs and a lamp cost together?", expected: 190 },
  { id: "table", problem: "What does a table cost?", expected: 210 },
];

export const instructions =
  "You work in a furniture shop. Look prices up; answer with the total as a number alone.";

export const description = "The price of one piece of furniture, in dollars.";

export const input = z.object({ item: z.string().describe("in the singular, such as chair") });

export function priceOf({ item }: z.infer<typeof input>): string {
  const price = PRICES[item.toLowerCase()];
  return price === undefined ? `there is no ${item} in this shop` : `$${price}`;
}
