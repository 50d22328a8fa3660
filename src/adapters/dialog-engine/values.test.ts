import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtractionFieldInput } from "#domain/agents/extraction-field.ts";
import { readField as read } from "#test/support/agents/read-field.ts";

test("values are found wherever they are unmistakable", () => {
  for (const [field, text, value] of [
    ["email", "sure, it's Ana.Ruiz+home@mail.example.", "Ana.Ruiz+home@mail.example"],
    ["phone", "use (303) 555-0142 please", "(303) 555-0142"],
    ["zip_code", "zip is 80202", "80202"],
    ["zip_code", "80202", "80202"],
    ["name", "Hi, my name is Ana Ruiz and I want a house", "Ana Ruiz"],
    ["name", "I'm interested", undefined],
    ["first_name", "this is Bob", "Bob"],
    ["last_name", "this is Bob", undefined],
    ["city", "We live in Fort Collins now", "Fort Collins"],
    ["budget", "we can do $1.2 million", "1200000"],
    ["budget", "between 250k and 300k", "250000-300000"],
    ["budget", "I have 3 kids", undefined],
    ["bedrooms", "with 3 bedrooms please", "3"],
    ["bedrooms", "for 300k", undefined],
    ["interested", "I'm interested", "yes"],
    ["interested", "not interested", "no"],
    [{ name: "size", choices: ["Small", "Large"] }, "the large one", "Large"],
    ["reason", "because I move", undefined],
  ] as const) {
    assert.equal(read(field as ExtractionFieldInput, text, false), value, `${JSON.stringify(field)}: ${text}`);
  }
});

test("an answer to the very question is read more freely", () => {
  for (const [field, text, value] of [
    ["name", "Ana", "Ana"],
    ["name", "ana ruiz.", "ana ruiz"],
    ["name", "no", undefined],
    ["name", "yes", undefined],
    ["name", "who is asking?", undefined],
    ["last_name", "Ruiz", "Ruiz"],
    ["city", "in boulder", "boulder"],
    ["zip", "80202-1234", "80202-1234"],
    ["budget", "2500", "2500"],
    ["budget", "300,000", "300000"],
    [{ name: "budget", type: "number" }, "250-300k", "250000"],
    ["bedrooms", "four", "4"],
    ["move_in_date", "Dec 1", "2026-12-01"],
    ["move_in_date", "in the spring", "in the spring"],
    ["preferred_time", "Tuesday 3pm", "2026-11-24 15:00"],
    ["best_time", "at noon", "12:00"],
    ["best_time", "after lunch", undefined],
    ["appointment_time", "in the afternoon", "in the afternoon"],
    ["has_insurance", "nope", "no"],
    [{ name: "insured", type: "boolean" }, "yeah", "true"],
    ["timeline", "next year maybe", "next year maybe"],
    ["timeline", "ok", undefined],
    ["timeline", "what do you mean?", undefined],
    ["timeline", "idk", undefined],
    [{ name: "rooms", type: "number" }, "plenty", undefined],
  ] as const) {
    assert.equal(read(field as ExtractionFieldInput, text, true), value, `${JSON.stringify(field)}: ${text}`);
  }
});
