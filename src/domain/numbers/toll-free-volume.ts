/** Texts a month, as carriers ask for them. The last is without a limit. */
const VOLUMES = [
  ...([10, 100, 1_000, 10_000, 100_000, 250_000] as const),
  ...([500_000, 750_000, 1_000_000, 5_000_000] as const),
] as const;
const MOST = "10,000,000+";

export type Volume =
  | "10"
  | "100"
  | "1,000"
  | "10,000"
  | "100,000"
  | "250,000"
  | "500,000"
  | "750,000"
  | "1,000,000"
  | "5,000,000"
  | "10,000,000+";

/** The least of them that has room for so many. */
export function volumeOf(monthly: number): Volume {
  const volume = VOLUMES.find((most) => monthly <= most);
  return volume === undefined ? MOST : (volume.toLocaleString("en-US") as Volume);
}
