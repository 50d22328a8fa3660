import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { numberPlan } from "./number-plan.ts";
import { placeOf } from "./place.ts";

const read = (name: string) => readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
const plan = numberPlan(read("area-codes.csv"), read("exchange-time-zones.csv"));

const NEW_YORK = "America/New_York";
const CHICAGO = "America/Chicago";
const DENVER = "America/Denver";

/** "basis: zones | states" of a contact with this number and these fields. */
function shown(phone: string, fields: Record<string, unknown> = {}): string {
  const place = placeOf({ phone, fields }, plan);
  return `${place.basis}: ${place.zones.join(" ")} | ${place.states.join(" ")}`;
}

test("each source stands aside for the one before it", () => {
  const fields = { time_zone: "America/Denver", zip_code: "32501", city: "Miami", state: "FL" };
  const phone = "+18505550100";
  assert.equal(shown(phone, fields), `time_zone: ${DENVER} | FL`);
  assert.equal(
    shown(phone, { ...fields, time_zone: undefined, timezone: "America/Denver" }),
    `time_zone: ${DENVER} | FL`,
  );
  assert.equal(shown(phone, { ...fields, time_zone: "" }), `postal_code: ${CHICAGO} | FL`);
  assert.equal(shown(phone, { city: "Miami", state: "FL" }), `city: ${NEW_YORK} | FL`);
  assert.equal(shown(phone, { state: "Georgia" }), `state: ${NEW_YORK} | FL GA`);
  assert.equal(shown("+12702300100"), `exchange: ${CHICAGO} | KY`);
  assert.equal(shown(phone), `area_code: ${CHICAGO} ${NEW_YORK} | FL`);
});

test("an address and an area code in different states put a contact under both states' rules", () => {
  assert.equal(shown("+12125550100", { zip_code: "90210" }), "postal_code: America/Los_Angeles | CA NY");
  assert.equal(shown("+13055550100", { state: "tx", city: "El Paso" }), `city: ${DENVER} | FL TX`);
  assert.equal(
    shown("+12125550100", { time_zone: CHICAGO, state: "FL", zip_code: "77001" }),
    `time_zone: ${CHICAGO} | FL NY TX`,
  );
});

test("a number chooses among its own state's zones, and only adds to another's", () => {
  assert.equal(shown("+19155550100", { state: "TX" }), `area_code: ${DENVER} | TX`);
  assert.equal(shown("+12125550100", { state: "TX" }), `state: ${CHICAGO} ${DENVER} ${NEW_YORK} | NY TX`);
  assert.equal(shown("+18005550100", { state: "TX" }), `state: ${CHICAGO} ${DENVER} | TX`);
  assert.equal(
    shown("+18505550100", { state: "FL", city: "Nowhere in Particular" }),
    `area_code: ${CHICAGO} ${NEW_YORK} | FL`,
  );
});

test("Arizona is one zone, but in and around Navajo Nation it is two", () => {
  assert.equal(shown("+16025550100"), "area_code: America/Phoenix | AZ");
  assert.equal(shown("+19285550100"), `area_code: ${DENVER} America/Phoenix | AZ`);
  assert.equal(shown("+16025550100", { zip_code: "86515" }), `postal_code: ${DENVER} America/Phoenix | AZ`);
  assert.equal(shown("+16025550100", { city: "Window Rock", state: "AZ" }), `city: ${DENVER} America/Phoenix | AZ`);
  assert.equal(shown("+16025550100", { zip_code: "85001" }), "postal_code: America/Phoenix | AZ");
});

test("Indiana, Hawaii, Puerto Rico and Canada keep their own zones", () => {
  assert.equal(shown("+13175550100"), `area_code: ${NEW_YORK} | IN`);
  assert.equal(shown("+12195550100"), `area_code: ${CHICAGO} ${NEW_YORK} | IN`);
  assert.equal(shown("+18085550100"), "area_code: Pacific/Honolulu | HI");
  assert.equal(shown("+17875550100"), "area_code: America/Puerto_Rico | PR");
  assert.equal(shown("+14165550100"), "area_code: America/Toronto | ON");
  assert.equal(
    shown("+12125550100", { zip_code: "V6B 1A1", country: "Canada" }),
    "postal_code: America/Vancouver | BC NY",
  );
});

test("a time zone counts by its IANA name, whatever its case or age", () => {
  assert.equal(shown("+12125550100", { time_zone: " america/los_angeles " }), "time_zone: America/Los_Angeles | NY");
  assert.equal(shown("+12125550100", { time_zone: "US/Pacific" }), "time_zone: America/Los_Angeles | NY");
});

test("what is no place to live in is not a time zone", () => {
  for (const time_zone of [
    "UTC",
    "GMT",
    "EST",
    "Etc/GMT+5",
    "+05:00",
    "Eastern",
    "Mars/Olympus_Mons",
    "America/",
    5,
    null,
    {},
  ]) {
    assert.equal(shown("+12125550100", { time_zone }), `area_code: ${NEW_YORK} | NY`, String(time_zone));
  }
});

test("fields that make no sense are passed over", () => {
  assert.equal(shown("+12125550100", { zip_code: "n/a", state: "XX", city: 7 }), `area_code: ${NEW_YORK} | NY`);
  assert.equal(
    shown("+12125550100", { zip_code: "06600", state: "CA", country: "Mexico" }),
    `area_code: ${NEW_YORK} | NY`,
  );
});

test("a number of no place is anywhere, unless its contact says where", () => {
  const place = placeOf({ phone: "+18335550100", fields: {} }, plan);
  assert.equal(place.basis, "unknown");
  assert.ok(place.zones.length > 8 && place.states.length > 50);
  assert.equal(shown("+18335550100", { zip_code: "10001" }), `postal_code: ${NEW_YORK} | NY`);
  assert.equal(
    placeOf({ phone: "+18335550100", fields: { time_zone: DENVER } }, plan).states.length,
    place.states.length,
  );
});

test("a foreign number is nowhere, so that no hour is open for it", () => {
  assert.equal(shown("+447911123456"), "unknown:  | ");
});
