import { STATES } from "./state.ts";

/** What an address's postal code says: its state or province, and the zones it may keep. Shared: never change it. */
export type PostalPlace = Readonly<{ state: string; zones: readonly string[] }>;

/** First and last three-digit prefix of each run of ZIP codes of one state, as the US Postal Service assigns them. */
const ZIP_RUNS = `
  005-005 NY  006-007 PR  008-008 VI  009-009 PR  010-027 MA  028-029 RI  030-038 NH  039-049 ME  050-054 VT  055-055 MA
  056-059 VT  060-069 CT  070-089 NJ  100-149 NY  150-196 PA  197-199 DE  200-200 DC  201-201 VA  202-205 DC  206-219 MD
  220-246 VA  247-268 WV  270-289 NC  290-299 SC  300-319 GA  320-339 FL  341-342 FL  344-344 FL  346-347 FL  349-349 FL
  350-369 AL  370-385 TN  386-397 MS  398-399 GA  400-427 KY  430-459 OH  460-479 IN  480-499 MI  500-528 IA  530-549 WI
  550-567 MN  569-569 DC  570-577 SD  580-588 ND  590-599 MT  600-629 IL  630-658 MO  660-679 KS  680-693 NE  700-714 LA
  716-729 AR  730-732 OK  733-733 TX  734-749 OK  750-799 TX  800-816 CO  820-831 WY  832-838 ID  840-847 UT  850-865 AZ
  870-884 NM  885-885 TX  889-898 NV  900-961 CA  967-968 HI  969-969 GU  970-979 OR  980-994 WA  995-999 AK`;

const NEW_YORK = ["America/New_York"];
const CHICAGO = ["America/Chicago"];
const DENVER = ["America/Denver"];
const PHOENIX = ["America/Phoenix"];
const LOS_ANGELES = ["America/Los_Angeles"];
const CHICAGO_NEW_YORK = ["America/Chicago", "America/New_York"];

/**
 * Prefixes of split states that lie wholly in one zone. A prefix of a split state that is not here crosses the
 * line, or nobody was sure: it keeps all the zones of its state. 368 is Central by law, but Phenix City
 * and Lanett live by Georgia's clocks.
 */
const ZIP_ZONES: readonly [prefixes: string, zones: readonly string[]][] = [
  ["320-323 326-339 341-342 344 346-347 349", NEW_YORK],
  ["325", CHICAGO],
  ["368", CHICAGO_NEW_YORK],
  ["374 376 379", NEW_YORK],
  ["370-372 380-384", CHICAGO],
  ["400 402-418", NEW_YORK],
  ["420-424", CHICAGO],
  ["460-462 466-468 470-474 478", NEW_YORK],
  ["463-464 476-477", CHICAGO],
  ["480-497", NEW_YORK],
  ["570-574", CHICAGO],
  ["577", DENVER],
  ["580-584 587", CHICAGO],
  ["660-676 679", CHICAGO],
  ["680-689", CHICAGO],
  ["693", DENVER],
  ["733 750-797", CHICAGO],
  ["799 885", DENVER],
  ["832-834 836-837", ["America/Boise"]],
  ["838", LOS_ANGELES],
  ["850-859 863-864", PHOENIX],
  ["889-897", LOS_ANGELES],
  ["970-978", LOS_ANGELES],
  ["996-999", ["America/Anchorage"]],
];

/** The first letter of a Canadian code is its province; X is shared by two territories. */
const PROVINCES = new Map(
  Object.entries({
    A: "NL",
    B: "NS",
    C: "PE",
    E: "NB",
    G: "QC",
    H: "QC",
    J: "QC",
    K: "ON",
    L: "ON",
    M: "ON",
    N: "ON",
    P: "ON",
    R: "MB",
    S: "SK",
    T: "AB",
    V: "BC",
    Y: "YT",
  }),
);

/** Letters and letter-digit starts of split provinces that lie wholly in one zone: all but the far north and the edges. */
const FSA_ZONES = new Map<string, readonly string[]>([
  ...[..."HJ"].map((letter): [string, string[]] => [letter, ["America/Toronto"]]),
  ...[..."KLMN"].map((letter): [string, string[]] => [letter, ["America/Toronto"]]),
  ...[..."23456789"].map((digit): [string, string[]] => [`V${digit}`, ["America/Vancouver"]]),
  ["A1", ["America/St_Johns"]],
  ...[..."467"].map((digit): [string, string[]] => [`S${digit}`, ["America/Regina"]]),
]);

/** American Samoa is one code among Hawaii's. */
const PAGO_PAGO = "96799";

const byZip3 = zipTable();

function zipTable(): ReadonlyMap<string, PostalPlace> {
  const zones = new Map(
    ZIP_ZONES.flatMap(([prefixes, set]) =>
      prefixes.split(" ").flatMap((run) => spread(run).map((zip3) => [zip3, set] as const)),
    ),
  );
  const table = new Map<string, PostalPlace>();
  for (const [run, state] of ZIP_RUNS.trim()
    .split(/\s{2,}/)
    .map((entry) => entry.split(" ") as [string, string])) {
    for (const zip3 of spread(run)) table.set(zip3, { state, zones: zones.get(zip3) ?? STATES.get(state)!.zones });
  }
  return table;
}

function spread(run: string): string[] {
  const [first, last = first] = run.split("-") as [string, string?];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => String(Number(first) + i).padStart(3, "0"));
}

const byFsa = new Map<string, PostalPlace>();
for (const [letter, state] of PROVINCES) {
  const all = STATES.get(state)!.zones;
  for (const start of [letter, ...[..."0123456789"].map((digit) => letter + digit)]) {
    byFsa.set(start, { state, zones: FSA_ZONES.get(start) ?? FSA_ZONES.get(letter) ?? all });
  }
}

/** Four digits are a New England code that lost its zero in a spreadsheet. */
const ZIP = /^(\d{4}|\d{5}(?:[ -]?\d{4})?)$/;
const CANADIAN = /^([A-Z])(\d)[A-Z](?:[ -]?\d[A-Z]\d)?$/;

/** The place of a US ZIP code (12345, 12345-6789) or a Canadian postal code (K1A 0B1, K1A), undefined for any other text. */
export function findPostalCode(text: string): PostalPlace | undefined {
  const code = text.trim().toUpperCase();
  if (code.startsWith(PAGO_PAGO)) return { state: "AS", zones: STATES.get("AS")!.zones };
  if (ZIP.test(code)) return byZip3.get(code.length === 4 ? `0${code.slice(0, 2)}` : code.slice(0, 3));
  const canadian = CANADIAN.exec(code);
  return canadian ? byFsa.get(canadian[1]! + canadian[2]!) : undefined;
}
