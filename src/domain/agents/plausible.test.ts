import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExtractionFieldInput, normaliseExtractionFields } from "./extraction-field.ts";
import { isPlausible } from "./plausible.ts";

const plausible = (field: ExtractionFieldInput, value: string) =>
  isPlausible(value, normaliseExtractionFields([field])[0]!);

test("a value that its field can have is kept, in whatever form", () => {
  for (const [field, value] of [
    ["email", "ana.ruiz+home@mail.example"],
    ["phone", "(303) 555-0142"],
    ["zip_code", "80202-1234"],
    ["postal_code", "K1A 0B1"],
    ["budget", "about 350k"],
    ["budget", "three hundred thousand"],
    ["asking_price", "300000-350000"],
    ["bedrooms", "four"],
    ["move_in_date", "2026-12-01"],
    ["move_in_date", "in the spring"],
    ["callback_time", "Thursday at 5"],
    ["appointment_time", "mañana por la tarde"],
    ["name", "José O'Brien-Ruiz"],
    ["city", "Fort Collins"],
    ["timeline", "whenever it suits"],
    ["notes", "12345"],
    [{ name: "budget", choices: ["low", "high"] }, "low"],
  ] as const) {
    assert.equal(plausible(field as ExtractionFieldInput, value), true, `${JSON.stringify(field)}: ${value}`);
  }
});

test("a value that cannot be of its field's kind is none", () => {
  for (const [field, value] of [
    ["email", "ana at home"],
    ["phone", "555"],
    ["zip_code", "Denver"],
    ["asking_price", "yes, go ahead"],
    ["bedrooms", "plenty"],
    ["preferred_day", "Yes, go ahead."],
    ["preferred_day", "85004"],
    ["callback_time", "450000"],
    ["first_name", "80202"],
    ["city", "ana@mail.example"],
    ["budget", "You read 5 conversations. ".repeat(20)],
  ] as const) {
    assert.equal(plausible(field, value), false, `${field}: ${value}`);
  }
});
