import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { numberPlan } from "./number-plan.ts";
import { normalizePhone } from "./phone.ts";
import { STATES } from "./state.ts";

const read = (name: string) => readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
const areaCodesCsv = read("area-codes.csv");
const exchangeZonesCsv = read("exchange-time-zones.csv");
const plan = numberPlan(areaCodesCsv, exchangeZonesCsv);

/** An exchange of the test range: no file has a row of its own for it, so the area code has to answer. */
const testNumber = (areaCode: string) => `+1${areaCode}5550100`;

test("every row of the data is there, in its order, quoted cities whole", () => {
  assert.equal(plan.areaCodes.length, 16_525);
  assert.deepEqual(plan.areaCodes[0], { areaCode: "201", city: "Bayonne", state: "NJ", country: "US" });
  const quoted = plan.areaCodes.filter((entry) => entry.city.includes(","));
  assert.equal(quoted.length, 23);
  assert.ok(quoted.some((entry) => entry.city === "Downtown Brooklyn, Brooklyn" && entry.state === "NY"));
  assert.deepEqual(new Set(plan.areaCodes.map((entry) => entry.country)), new Set(["US", "CA"]));
});

test("the search holds every given field at once, whatever the case, and keeps the file's order", () => {
  const cities = plan.search({ areaCode: "401", state: "ri" }).map((entry) => entry.city);
  assert.deepEqual(
    cities,
    plan.areaCodes.filter((entry) => entry.areaCode === "401").map((entry) => entry.city),
  );
  assert.ok(plan.search({ city: "NEW york" }).every((entry) => entry.city === "New York"));
  assert.ok(plan.search({ city: "new york", state: "NY" }).some((entry) => entry.areaCode === "212"));
  assert.deepEqual(plan.search({ city: "quebec" }), plan.search({ city: "Québec" }));
  assert.ok(plan.search({ city: "quebec" }).length > 0);
});

test("a search for nothing gives all rows, for what is not there none", () => {
  assert.equal(plan.search({}).length, 16_525);
  assert.equal(plan.search({ city: "", state: "", areaCode: "" }).length, 16_525);
  assert.deepEqual(plan.search({ areaCode: "999" }), []);
  assert.deepEqual(plan.search({ areaCode: "212", state: "CA" }), []);
});

test("every area code of the plan is one that a phone number may have", () => {
  for (const areaCode of new Set(plan.areaCodes.map((entry) => entry.areaCode))) {
    assert.deepEqual(normalizePhone(testNumber(areaCode)), { phone: testNumber(areaCode) });
  }
});

const TWO_ZONE_CODES =
  "208 219 250 270 308 418 423 541 574 605 606 620 701 709 775 785 807 812 850 867 906 907 928".split(" ");
for (const areaCode of TWO_ZONE_CODES) {
  test(`area code ${areaCode} spans zones, and a number of it may be in each`, () => {
    const place = plan.locate(testNumber(areaCode));
    assert.ok(place.zones.length >= 2, `only ${place.zones}`);
    // 208 has a row for all of its exchanges that start with 5.
    assert.equal(place.basis, areaCode === "208" ? "exchange" : "area_code");
    assert.deepEqual(place.zones, [...place.zones].sort());
  });
}

test("an exchange with its own row decides alone", () => {
  assert.deepEqual(plan.locate("+12702300100"), { zones: ["America/Chicago"], states: ["KY"], basis: "exchange" });
  assert.deepEqual(plan.zonesOfPhone("+19282830100"), ["America/Denver", "America/Phoenix"]);
  assert.deepEqual(plan.zonesOfPhone("+12195550100"), ["America/Chicago", "America/New_York"]);
  assert.deepEqual(plan.zonesOfPhone("+13175550100"), ["America/New_York"]);
});

test("overlay codes have the zones of the ground they lie over", () => {
  const zones = (areaCode: string) => plan.zonesOfPhone(testNumber(areaCode)).join(" ");
  assert.equal(zones("689"), "America/New_York");
  for (const [overlay, older] of [
    ["448", "850"],
    ["458", "541"],
    ["364", "270"],
    ["930", "812"],
    ["581", "418"],
    ["367", "418"],
    ["879", "709"],
  ] as const) {
    for (const zone of plan.zonesOfPhone(testNumber(older)))
      assert.ok(zones(overlay).includes(zone), `${overlay} lacks ${zone} of ${older}`);
  }
  assert.doesNotMatch(zones("474"), /Winnipeg/);
  assert.match(zones("236"), /Edmonton/);
});

test("no prefix has a zone that keeps other hours than every zone of its state", () => {
  const hours = (zone: string) =>
    [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]
      .map((at) => new Intl.DateTimeFormat("en-US", { timeZone: zone, timeStyle: "short" }).format(at))
      .join();
  const prefixes = exchangeZonesCsv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0]!);
  for (const prefix of prefixes) {
    const place = plan.locate(`+1${prefix.padEnd(6, "5550100")}0100`.slice(0, 12));
    const known = new Set(place.states.flatMap((state) => STATES.get(state)!.zones).map(hours));
    // 867 and 709 have zones of neighbours beside their own: more zones are only more careful.
    if (place.states.length === 0 || /^(867|709|879)/.test(prefix)) continue;
    for (const zone of place.zones) assert.ok(known.has(hours(zone)), `${prefix}: ${zone} is not in ${place.states}`);
  }
});

test("toll-free numbers are anywhere in the US, under any state's rules", () => {
  const place = plan.locate("+18005550100");
  assert.equal(place.basis, "unknown");
  for (const zone of [
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Phoenix",
    "America/Los_Angeles",
    "America/Anchorage",
    "Pacific/Honolulu",
    "America/Puerto_Rico",
  ]) {
    assert.ok(place.zones.includes(zone), zone);
  }
  assert.ok(place.states.includes("FL") && place.states.includes("RI"));
});

test("a number of another country has no zone, and of Canada without a place all of Canada's", () => {
  assert.deepEqual(plan.locate("+447911123456"), { zones: [], states: [], basis: "unknown" });
  assert.deepEqual(plan.locate("+18765551234"), { zones: [], states: [], basis: "unknown" });
  assert.ok(plan.zonesOfPhone("+16225551234").includes("America/St_Johns"));
  assert.deepEqual(["+12125550100", "+16045550100", "+17875550100", "+18765551234"].map(plan.countryOfPhone), [
    "US",
    "CA",
    "US",
    "JM",
  ]);
});

test("states are those of the area code, several where it serves several", () => {
  assert.deepEqual(plan.statesOfPhone("+12125550100"), ["NY"]);
  assert.deepEqual(plan.statesOfPhone("+18675550100"), ["NT", "NU", "YT"]);
  assert.deepEqual(plan.statesOfPhone("+16715550100"), ["GU"]);
});

test("a city of a split state is on its side of the line", () => {
  assert.deepEqual(plan.zonesOfCity("pensacola", "fl"), ["America/Chicago"]);
  assert.deepEqual(plan.zonesOfCity("Orlando", "FL"), ["America/New_York"]);
  assert.deepEqual(plan.zonesOfCity("El Paso", "TX"), ["America/Denver"]);
  assert.deepEqual(plan.zonesOfCity("Ontario", "OR"), ["America/Denver"]);
  assert.deepEqual(plan.zonesOfCity("Window Rock", "AZ"), ["America/Denver", "America/Phoenix"]);
  assert.equal(plan.zonesOfCity("Atlantis", "FL"), undefined);
});

test("a file of another shape is refused with its line", () => {
  assert.throws(() => numberPlan("areaCode,city\n201,Bayonne", exchangeZonesCsv), /Line 2/);
  assert.throws(() => numberPlan(areaCodesCsv, "prefix,timeZones\n201"), /Line 2/);
});
