/** A US state, district or territory, or a Canadian province: its names and every IANA zone in use inside it. */
export type State = Readonly<{ code: string; name: string; country: "US" | "CA"; zones: readonly string[] }>;

const NEW_YORK = "America/New_York";
const CHICAGO = "America/Chicago";
const DENVER = "America/Denver";
const LOS_ANGELES = "America/Los_Angeles";
const TORONTO = "America/Toronto";
const HALIFAX = "America/Halifax";
const EDMONTON = "America/Edmonton";

const us = (code: string, name: string, ...zones: string[]): State => ({
  code,
  name,
  country: "US",
  zones: zones.sort(),
});
const ca = (code: string, name: string, ...zones: string[]): State => ({
  code,
  name,
  country: "CA",
  zones: zones.sort(),
});

/**
 * Zones whose clocks have agreed since 2007 stand under one name (Indiana's and Michigan's eastern halves under
 * New York), so that fewer candidate zones mean the same hours. A second zone is there even for a corner of a
 * state (Navajo Nation in AZ, Malheur in OR, West Wendover in NV): its people are called by that state's name too.
 */
const ALL: readonly State[] = [
  us("AL", "Alabama", CHICAGO),
  us("AK", "Alaska", "America/Anchorage", "America/Adak"),
  us("AZ", "Arizona", "America/Phoenix", DENVER),
  us("AR", "Arkansas", CHICAGO),
  us("CA", "California", LOS_ANGELES),
  us("CO", "Colorado", DENVER),
  us("CT", "Connecticut", NEW_YORK),
  us("DE", "Delaware", NEW_YORK),
  us("DC", "District of Columbia", NEW_YORK),
  us("FL", "Florida", NEW_YORK, CHICAGO),
  us("GA", "Georgia", NEW_YORK),
  us("HI", "Hawaii", "Pacific/Honolulu"),
  us("ID", "Idaho", "America/Boise", LOS_ANGELES),
  us("IL", "Illinois", CHICAGO),
  us("IN", "Indiana", NEW_YORK, CHICAGO),
  us("IA", "Iowa", CHICAGO),
  us("KS", "Kansas", CHICAGO, DENVER),
  us("KY", "Kentucky", NEW_YORK, CHICAGO),
  us("LA", "Louisiana", CHICAGO),
  us("ME", "Maine", NEW_YORK),
  us("MD", "Maryland", NEW_YORK),
  us("MA", "Massachusetts", NEW_YORK),
  us("MI", "Michigan", NEW_YORK, CHICAGO),
  us("MN", "Minnesota", CHICAGO),
  us("MS", "Mississippi", CHICAGO),
  us("MO", "Missouri", CHICAGO),
  us("MT", "Montana", DENVER),
  us("NE", "Nebraska", CHICAGO, DENVER),
  us("NV", "Nevada", LOS_ANGELES, DENVER),
  us("NH", "New Hampshire", NEW_YORK),
  us("NJ", "New Jersey", NEW_YORK),
  us("NM", "New Mexico", DENVER),
  us("NY", "New York", NEW_YORK),
  us("NC", "North Carolina", NEW_YORK),
  us("ND", "North Dakota", CHICAGO, DENVER),
  us("OH", "Ohio", NEW_YORK),
  us("OK", "Oklahoma", CHICAGO),
  us("OR", "Oregon", LOS_ANGELES, DENVER),
  us("PA", "Pennsylvania", NEW_YORK),
  us("RI", "Rhode Island", NEW_YORK),
  us("SC", "South Carolina", NEW_YORK),
  us("SD", "South Dakota", CHICAGO, DENVER),
  us("TN", "Tennessee", NEW_YORK, CHICAGO),
  us("TX", "Texas", CHICAGO, DENVER),
  us("UT", "Utah", DENVER),
  us("VT", "Vermont", NEW_YORK),
  us("VA", "Virginia", NEW_YORK),
  us("WA", "Washington", LOS_ANGELES),
  us("WV", "West Virginia", NEW_YORK),
  us("WI", "Wisconsin", CHICAGO),
  us("WY", "Wyoming", DENVER),
  us("PR", "Puerto Rico", "America/Puerto_Rico"),
  us("VI", "Virgin Islands", "America/St_Thomas"),
  us("GU", "Guam", "Pacific/Guam"),
  us("MP", "Northern Mariana Islands", "Pacific/Saipan"),
  us("AS", "American Samoa", "Pacific/Pago_Pago"),
  ca("AB", "Alberta", EDMONTON),
  ca("BC", "British Columbia", "America/Vancouver", EDMONTON, "America/Fort_Nelson"),
  ca("MB", "Manitoba", "America/Winnipeg"),
  ca("NB", "New Brunswick", HALIFAX),
  ca("NL", "Newfoundland and Labrador", "America/St_Johns", HALIFAX),
  ca("NS", "Nova Scotia", HALIFAX),
  ca("NT", "Northwest Territories", EDMONTON),
  ca("NU", "Nunavut", TORONTO, "America/Winnipeg", EDMONTON),
  ca("ON", "Ontario", TORONTO, "America/Winnipeg"),
  ca("PE", "Prince Edward Island", HALIFAX),
  ca("QC", "Quebec", TORONTO, HALIFAX, "America/Puerto_Rico"),
  ca("SK", "Saskatchewan", "America/Regina", EDMONTON),
  ca("YT", "Yukon", "America/Whitehorse"),
];

/** By two-letter code. US and Canadian codes never clash (CA is California; the country is written out). */
export const STATES: ReadonlyMap<string, State> = new Map(ALL.map((state) => [state.code, state]));

const BY_NAME = new Map(
  ALL.flatMap((state) => [
    [state.code.toLowerCase(), state],
    [state.name.toLowerCase(), state],
  ]),
).set("québec", STATES.get("QC")!);

/** The state a person wrote, by code or English name in any case (" tx", "New York"); undefined if it is none. */
export function findState(text: string): State | undefined {
  return BY_NAME.get(text.trim().toLowerCase());
}

/**
 * The Pacific territories have their own area codes and are a day ahead or an hour behind: a number that could be
 * anywhere is taken to be in a state, DC, Puerto Rico or the Virgin Islands, or it would have no hour left.
 */
const FAR_TERRITORIES = new Set(["GU", "MP", "AS"]);
const anywhereIn = (country: "US" | "CA") => ALL.filter((s) => s.country === country && !FAR_TERRITORIES.has(s.code));
const everywhere = (country: "US" | "CA") => ({
  zones: [...new Set(anywhereIn(country).flatMap((s) => s.zones))].sort() as readonly string[],
  states: anywhereIn(country)
    .map((s) => s.code)
    .sort() as readonly string[],
});

/** Where a number of this country may be when nothing says where: every zone, and every state's rules. */
export const ANYWHERE = { US: everywhere("US"), CA: everywhere("CA") } as const;
