/** A price in US dollars as people write it: at most six decimals. */
export const PRICE = /^\d{1,4}(\.\d{1,6})?$/;

const MICROS = 1_000_000n;

/** What `count` pieces cost at `price` each (PRICE), exactly, with two to six decimals: "790.00", "0.0083". */
export function costOf(count: number, price: string): string {
  const [whole, decimals = ""] = price.split(".");
  const each = BigInt(whole!) * MICROS + BigInt(decimals.padEnd(6, "0"));
  const total = each * BigInt(count);
  const rest = String(total % MICROS).padStart(6, "0");
  return `${total / MICROS}.${rest.slice(0, 2)}${rest.slice(2).replace(/0{1,4}$/, "")}`;
}
