/** A price in US dollars as people write it: at most six decimals. */
export const PRICE = /^\d{1,4}(\.\d{1,6})?$/;

const MICROS = 1_000_000n;

/** What texts cost: by their segments, or one with pictures as a whole, however long it is. Dollars (PRICE). */
export type TextPrices = { segment: string; pictureText: string };

/** What so many segments cost, of which `pictureTexts` are texts with pictures, each counted as one segment. */
export function costOfTexts(segments: number, pictureTexts: number, prices: TextPrices): string {
  return dollars(micros(segments - pictureTexts, prices.segment) + micros(pictureTexts, prices.pictureText));
}

/** What `count` pieces cost at `price` each (PRICE), exactly, with two to six decimals: "790.00", "0.0083". */
export function costOf(count: number, price: string): string {
  return dollars(micros(count, price));
}

/** Amounts in dollars with at most six decimals, together. */
export const sumOf = (...amounts: readonly string[]): string =>
  dollars(amounts.reduce((sum, amount) => sum + micros(1, amount), 0n));

function micros(count: number, price: string): bigint {
  const [whole, decimals = ""] = price.split(".");
  return (BigInt(whole!) * MICROS + BigInt(decimals.padEnd(6, "0"))) * BigInt(count);
}

function dollars(total: bigint): string {
  const rest = String(total % MICROS).padStart(6, "0");
  return `${total / MICROS}.${rest.slice(0, 2)}${rest.slice(2).replace(/0{1,4}$/, "")}`;
}
