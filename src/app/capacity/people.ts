/** Area codes of every mainland zone, so that the gate has the work that it has with real leads. */
const AREA_CODES = ["212", "305", "404", "312", "214", "512", "303", "602", "213", "206"];

/** The n-th phone, +1 NPA 444 0000 and on; room for 5 million. */
export const phoneOf = (n: number): string => `+1${AREA_CODES[n % 10]}${4_440_000 + Math.floor(n / 10)}`;

/** `count` leads from the n-th on, as a caller sends them. */
export function leadsOf(count: number, from = 0) {
  return Array.from({ length: count }, (_, i) => ({
    phone_number: phoneOf(from + i),
    first_name: `Name${i}`,
    last_name: `Family${i % 1000}`,
    email: `person${i}@example.com`,
    city: "Springfield",
  }));
}

/** The same as a file of contacts. */
export function fileOf(count: number, from = 0): Uint8Array<ArrayBuffer> {
  const rows = leadsOf(count, from).map((lead) => Object.values(lead).join(","));
  return Buffer.from(`phone_number,first_name,last_name,email,city\n${rows.join("\n")}\n`);
}
