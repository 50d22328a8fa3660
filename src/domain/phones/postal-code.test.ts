import assert from "node:assert/strict";
import { test } from "node:test";
import { findPostalCode } from "./postal-code.ts";
import { STATES } from "./state.ts";

const shown = (code: string) => {
  const place = findPostalCode(code);
  return place && `${place.state} ${place.zones.join(" ")}`;
};

test("a ZIP code gives its state and, where the prefix lies in one zone, that zone", () => {
  assert.equal(shown("10001"), "NY America/New_York");
  assert.equal(shown("90210-1234"), "CA America/Los_Angeles");
  assert.equal(shown("902101234"), "CA America/Los_Angeles");
  assert.equal(shown("00901"), "PR America/Puerto_Rico");
  assert.equal(shown("32501"), "FL America/Chicago");
  assert.equal(shown("33101"), "FL America/New_York");
  assert.equal(shown("79901"), "TX America/Denver");
  assert.equal(shown("46402"), "IN America/Chicago");
  assert.equal(shown("46204"), "IN America/New_York");
  assert.equal(shown("85001"), "AZ America/Phoenix");
  assert.equal(shown("96813"), "HI Pacific/Honolulu");
  assert.equal(shown("96799"), "AS Pacific/Pago_Pago");
  assert.equal(shown("96910"), "GU Pacific/Guam");
});

test("a prefix that crosses the line keeps every zone of its state", () => {
  assert.equal(shown("86515"), "AZ America/Denver America/Phoenix");
  assert.equal(shown("32456"), "FL America/Chicago America/New_York");
  assert.equal(shown("37367"), "TN America/Chicago America/New_York");
  assert.equal(shown("69101"), "NE America/Chicago America/Denver");
  assert.equal(shown("97914"), "OR America/Denver America/Los_Angeles");
});

test("a code that lost its zero in a spreadsheet is still New England's", () => {
  assert.equal(shown("2139"), "MA America/New_York");
});

test("Canadian codes give the province, whole or by their first half", () => {
  assert.equal(shown("K1A 0B1"), "ON America/Toronto");
  assert.equal(shown("m5v3l9"), "ON America/Toronto");
  assert.equal(shown("P9N 1A1"), "ON America/Toronto America/Winnipeg");
  assert.equal(shown("V6B"), "BC America/Vancouver");
  assert.equal(shown("A1C 5M2"), "NL America/St_Johns");
  assert.equal(shown("S4P 3Y2"), "SK America/Regina");
});

test("military, unassigned and foreign codes say nothing", () => {
  for (const code of ["09012", "34012", "96201", "00100", "99", "SW1A 1AA", "D1A 1A1", "X0A 0H0", "", "drop table"]) {
    assert.equal(findPostalCode(code), undefined, code);
  }
});

test("every prefix from 000 to 999 is in a state with zones, or in none", () => {
  const states = new Set<string>();
  for (let i = 0; i < 1000; i++) {
    const place = findPostalCode(`${String(i).padStart(3, "0")}01`);
    if (!place) continue;
    states.add(place.state);
    const known = STATES.get(place.state)!.zones;
    for (const zone of place.zones) assert.ok(known.includes(zone) || place.state === "AL", `${i}: ${zone}`);
  }
  assert.equal(states.size, 54);
});
