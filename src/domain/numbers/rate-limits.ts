import { countryOfPhone } from "#domain/phones/phone.ts";

/** A limit of a carrier, with where it comes from and when it was taken over. A registry's own word at run time wins. */
type Sourced = { source: string; verifiedOn: string };

/** When the tables were taken over from the project's compliance notes. */
const VERIFIED_ON = "2026-11-20";

/** AT&T's class of a 10DLC campaign: what it may send, in segments. `perDay` is T-Mobile's, where the class itself has one. */
export type CampaignClass = Sourced & {
  id: string;
  useCase: "dedicated" | "mixed" | "low_volume";
  /** The brand's vetting score from which the class is given; a brand without a score has the lowest. */
  fromScore: number;
  perMinute: number;
  perDay: number | null;
};

const ATT = { source: "vendors' tables of AT&T's 10DLC campaign classes", verifiedOn: VERIFIED_ON };

/** In the order in which they are tried. */
export const CAMPAIGN_CLASSES: readonly CampaignClass[] = [
  { id: "T", useCase: "low_volume", fromScore: 0, perMinute: 75, perDay: 2_000, ...ATT },
  { id: "A", useCase: "dedicated", fromScore: 75, perMinute: 4_500, perDay: null, ...ATT },
  { id: "B", useCase: "mixed", fromScore: 75, perMinute: 4_500, perDay: null, ...ATT },
  { id: "C", useCase: "dedicated", fromScore: 50, perMinute: 2_400, perDay: null, ...ATT },
  { id: "D", useCase: "mixed", fromScore: 50, perMinute: 2_400, perDay: null, ...ATT },
  { id: "E", useCase: "dedicated", fromScore: 0, perMinute: 240, perDay: null, ...ATT },
  { id: "F", useCase: "mixed", fromScore: 0, perMinute: 240, perDay: null, ...ATT },
];

const T_MOBILE = { source: "vendors' tables of T-Mobile's daily caps by brand score", verifiedOn: VERIFIED_ON };

/**
 * T-Mobile's segments a day of a whole brand, all its campaigns together. Over it texts fail, they do not queue; the day
 * begins at midnight Pacific.
 */
export const BRAND_DAYS: readonly (Sourced & { fromScore: number; perDay: number })[] = [
  { fromScore: 75, perDay: 200_000, ...T_MOBILE },
  { fromScore: 50, perDay: 40_000, ...T_MOBILE },
  { fromScore: 25, perDay: 10_000, ...T_MOBILE },
  { fromScore: 0, perDay: 2_000, ...T_MOBILE },
];

/** What one number may send, in texts a second, by its kind. */
export const NUMBER_RATES = {
  // Verizon has no classes: about 6,000 a minute for each number.
  local: { perSecond: 100, source: "vendors' word on Verizon: about 6,000 a minute a number", verifiedOn: VERIFIED_ON },
  toll_free: { perSecond: 3, source: "vendors' default for toll-free numbers", verifiedOn: VERIFIED_ON },
  short_code: { perSecond: 100, source: "vendors' default for short codes", verifiedOn: VERIFIED_ON },
} as const satisfies Record<string, Sourced & { perSecond: number }>;

export type NumberKind = keyof typeof NUMBER_RATES;

const TOLL_FREE = /^\+18(?:00|33|44|55|66|77|88)\d{7}$/;

/** The kind of a sender, undefined for a number outside the US and Canada. Takes E.164, or a short code's five or six digits. */
export function numberKind(sender: string): NumberKind | undefined {
  if (/^\d{5,6}$/.test(sender)) return "short_code";
  if (TOLL_FREE.test(sender)) return "toll_free";
  const country = countryOfPhone(sender);
  return country === "US" || country === "CA" ? "local" : undefined;
}

/** Use cases that are several in one; every other is dedicated to what it says. The registry's list of them is open. */
const MIXED = "MIXED";
const LOW_VOLUME = "LOW_VOLUME";

/** AT&T's class for a use case and a brand's score. */
export function classOf(useCase: string, score: number | null): CampaignClass {
  const folded = useCase
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, "_");
  const kind = folded === MIXED ? "mixed" : folded.startsWith(LOW_VOLUME) ? "low_volume" : "dedicated";
  return CAMPAIGN_CLASSES.find((tier) => tier.useCase === kind && (score ?? 0) >= tier.fromScore)!;
}

/** T-Mobile's segments a day for a brand of this score. */
export const brandPerDay = (score: number | null): number =>
  BRAND_DAYS.find((tier) => (score ?? 0) >= tier.fromScore)!.perDay;

/** Texts a second that one number may send: the carrier's own word, and on the public networks what its kind may; undefined: no limit. */
export function senderRate(
  sender: string,
  carrier: { readonly defaultRatePerSecond: number | undefined; readonly isPublic?: boolean },
): number | undefined {
  const kind = carrier.isPublic === true ? numberKind(sender) : undefined;
  return tighter(carrier.defaultRatePerSecond, kind && NUMBER_RATES[kind].perSecond) ?? undefined;
}

/** The tighter of two rates; null and undefined are none. */
export function tighter(a: number | null | undefined, b: number | null | undefined): number | null {
  if (a === null || a === undefined) return b ?? null;
  return b === null || b === undefined ? a : Math.min(a, b);
}
