import { countryOfPhone } from "./phone.ts";
import { ANYWHERE } from "./state.ts";

/** One row of the area-code search: an area code serves many cities, and a city has many area codes. */
export type AreaCodeEntry = Readonly<{ areaCode: string; city: string; state: string; country: "US" | "CA" }>;

export type AreaCodeFilter = { state?: string; city?: string; areaCode?: string };

/** What a number's digits say about where it is. Zones and states are sorted sets, shared: never change them. */
export type NumberPlace = Readonly<{
  zones: readonly string[];
  states: readonly string[];
  basis: "exchange" | "area_code" | "unknown";
}>;

export type NumberPlan = {
  areaCodes: readonly AreaCodeEntry[];
  /** The rows that match everything given (case and accents aside, an empty string counts as not given), in file order. */
  search(filter: AreaCodeFilter): readonly AreaCodeEntry[];
  /**
   * By exchange where the plan has its own row for it, else every zone of the area code: 850-555 may be on either side
   * of Florida's line. Toll-free and other numbers of no place are anywhere in their country; a number of a
   * country that is neither the US nor Canada has no zones at all, so nothing is open for it.
   */
  locate(phone: string): NumberPlace;
  zonesOfPhone(phone: string): readonly string[];
  statesOfPhone(phone: string): readonly string[];
  countryOfPhone(phone: string): string;
  /** Zones of a city ("Pensacola", "FL"), undefined if the plan does not name it. */
  zonesOfCity(city: string, state: string): readonly string[] | undefined;
};

/**
 * Where the files are known to be wrong. Overlay codes carry only their region's default zone there, though
 * they serve the same ground as the older code (689 lies over 407 Orlando, 448 over 850, 458 over 541 ...), and
 * Unalaska keeps Alaska's time. Single names stay sets: the window must hold in each of them.
 */
const CORRECTIONS: ReadonlyMap<string, string> = new Map([
  ["236", "America/Vancouver|America/Edmonton"],
  ["257", "America/Vancouver|America/Edmonton"],
  ["672", "America/Vancouver|America/Edmonton"],
  ["778", "America/Vancouver|America/Edmonton"],
  ["364", "America/Chicago|America/New_York"],
  ["367", "America/Halifax|America/Toronto"],
  ["581", "America/Halifax|America/Toronto"],
  ["448", "America/Chicago|America/New_York"],
  ["458", "America/Denver|America/Los_Angeles"],
  ["474", "America/Edmonton|America/Regina"],
  ["689", "America/New_York"],
  ["879", "America/Halifax|America/Puerto_Rico|America/St_Johns"],
  ["930", "America/Chicago|America/New_York"],
  ["986", "America/Boise|America/Los_Angeles"],
  ["907581", "America/Adak|America/Anchorage"],
]);

const NOWHERE: NumberPlace = { zones: [], states: [], basis: "unknown" };
const UNPLACED = {
  US: { ...ANYWHERE.US, basis: "unknown" },
  CA: { ...ANYWHERE.CA, basis: "unknown" },
} as const satisfies Record<string, NumberPlace>;

/**
 * The North American numbering plan, from the text of data/area-codes.csv (`areaCode,city,state,country,timeZones`) and
 * data/exchange-time-zones.csv (`prefix,timeZones`, zones joined by `|`). About 40 ms for the 18,570 rows. Throws an Error
 * with the line's number for a row of another shape: the files are ours.
 */
export function numberPlan(areaCodesCsv: string, exchangeZonesCsv: string): NumberPlan {
  const rows = readAreaCodes(areaCodesCsv);
  const { byAreaCode, byExchange } = placesOf(rows, readExchanges(exchangeZonesCsv));
  const cities = zonesByCity(rows);
  const locate = (phone: string): NumberPlace => {
    if (phone.startsWith("+1")) {
      // Exchange rows name four to six digits; the longest says most.
      for (let length = 6; length > 3; length--) {
        const place = byExchange.get(phone.slice(2, 2 + length));
        if (place) return place;
      }
      const place = byAreaCode.get(phone.slice(2, 5));
      if (place) return place;
    }
    const country = countryOfPhone(phone);
    return country === "US" || country === "CA" ? UNPLACED[country] : NOWHERE;
  };
  return {
    areaCodes: rows.map((row) => row.entry),
    search: (filter) => search(rows, filter),
    locate,
    zonesOfPhone: (phone) => locate(phone).zones,
    statesOfPhone: (phone) => locate(phone).states,
    countryOfPhone,
    zonesOfCity: (city, state) => cities.get(`${fold(city)},${state.trim().toUpperCase()}`),
  };
}

/** `city` is folded for comparing; `zones` are joined as in the file. */
type Row = { entry: AreaCodeEntry; city: string; zones: string };

/** A city is quoted when it has a comma in it; none has a quote in it. */
const AREA_CODE_ROW = /^(\d{3}),(?:"([^"]*)"|([^",]*)),([A-Z]{2}),(US|CA),([^",]+)$/;
const EXCHANGE_ROW = /^(\d{3,6}),([^",]+)$/;

function readAreaCodes(csv: string): Row[] {
  return readLines(csv, AREA_CODE_ROW, ([, areaCode, quoted, plain, state, country, zones]) => {
    const city = quoted ?? plain!;
    const entry = { areaCode: areaCode!, city, state: state!, country: country as "US" | "CA" };
    return { entry, city: fold(city), zones: zones! };
  });
}

function readExchanges(csv: string): [prefix: string, zones: string][] {
  return readLines(csv, EXCHANGE_ROW, ([, prefix, zones]) => [prefix!, CORRECTIONS.get(prefix!) ?? zones!]);
}

function readLines<T>(csv: string, shape: RegExp, read: (match: RegExpExecArray) => T): T[] {
  const lines = csv.trimEnd().split(/\r?\n/);
  return lines.slice(1).map((line, i) => {
    const match = shape.exec(line);
    if (!match) throw new Error(`Line ${i + 2} of the numbering plan is not readable: ${line}`);
    return read(match);
  });
}

/** Every place that a prefix stands for. Equal sets become one object, so that a million contacts share them. */
function placesOf(rows: Row[], exchanges: [string, string][]) {
  const share = sharedSets();
  const states = new Map<string, Set<string>>();
  for (const { entry } of rows) states.set(entry.areaCode, (states.get(entry.areaCode) ?? new Set()).add(entry.state));
  const zones = new Map<string, string>();
  for (const [prefix, names] of exchanges) {
    const code = prefix.slice(0, 3);
    zones.set(code, zones.has(code) ? `${zones.get(code)}|${names}` : names);
  }
  const byAreaCode = new Map<string, NumberPlace>();
  for (const [code, inside] of states) {
    const names = CORRECTIONS.get(code) ?? zones.get(code);
    if (names === undefined) throw new Error(`No time zone is known for area code ${code}`);
    byAreaCode.set(code, { zones: share(names), states: share([...inside].join("|")), basis: "area_code" });
  }
  const byExchange = new Map<string, NumberPlace>();
  for (const [prefix, names] of exchanges) {
    const area = byAreaCode.get(prefix.slice(0, 3));
    if (prefix.length > 3 && area)
      byExchange.set(prefix, { zones: share(names), states: area.states, basis: "exchange" });
  }
  return { byAreaCode, byExchange };
}

/** Rows of a corrected area code do not count: their zone is the wrong one, and the older code has the city too. */
function zonesByCity(rows: Row[]): Map<string, readonly string[]> {
  const share = sharedSets();
  const names = new Map<string, string>();
  for (const { entry, city, zones } of rows) {
    if (CORRECTIONS.has(entry.areaCode)) continue;
    const key = `${city},${entry.state}`;
    const known = names.get(key);
    if (known === undefined) names.set(key, zones);
    else if (known !== zones) names.set(key, `${known}|${zones}`);
  }
  return new Map([...names].map(([key, joined]) => [key, share(joined)]));
}

function sharedSets(): (joined: string) => readonly string[] {
  const sets = new Map<string, readonly string[]>();
  return (joined) => {
    const known = sets.get(joined);
    if (known) return known;
    const sorted = [...new Set(joined.split("|"))].sort();
    const key = sorted.join("|");
    const set = sets.get(key) ?? Object.freeze(sorted);
    sets.set(key, set).set(joined, set);
    return set;
  };
}

function search(rows: Row[], filter: AreaCodeFilter): readonly AreaCodeEntry[] {
  const areaCode = filter.areaCode?.trim();
  const city = filter.city && fold(filter.city);
  const state = filter.state?.trim().toUpperCase();
  const found: AreaCodeEntry[] = [];
  for (const row of rows) {
    if (areaCode && row.entry.areaCode !== areaCode) continue;
    if (state && row.entry.state !== state) continue;
    if (city && row.city !== city) continue;
    found.push(row.entry);
  }
  return found;
}

/** Québec is found as "quebec". */
function fold(text: string): string {
  const lower = text.trim().toLowerCase();
  return /^[ -~]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}
