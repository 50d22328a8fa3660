import assert from "node:assert/strict";
import { test } from "node:test";
import { readField as read } from "#test/support/agents/read-field.ts";

test("a date of birth is read in every usual form, and always lies in the past", () => {
  for (const [text, value] of [
    ["9/4/84", "1984-09-04"],
    ["09-04-1984", "1984-09-04"],
    ["9.4.84", "1984-09-04"],
    ["1984-09-04", "1984-09-04"],
    ["09041984", "1984-09-04"],
    ["25/12/1960", "1960-12-25"],
    ["it's sept 4th, 1984", "1984-09-04"],
    ["4 Sep 1984", "1984-09-04"],
    ["the fourth of september nineteen eighty four", "1984-09-04"],
    ["september fourth eighty four", "1984-09-04"],
    ["may twenty second nineteen ninety nine", "1999-05-22"],
    ["may twenty nineteen ninety nine", "1999-05-20"],
    ["november thirtieth two thousand and two", "2002-11-30"],
    ["nine four eighty four", "1984-09-04"],
    ["oh three oh one nineteen oh nine", "1909-03-01"],
    ["april 1 '26", "2026-04-01"],
    ["april 1 27", "1927-04-01"],
    ["el 4 de septiembre de 1984", "1984-09-04"],
    ["september 4", undefined],
    ["1984", undefined],
    ["2/30/1984", undefined],
    ["I'm 42", undefined],
    ["next tuesday", undefined],
    ["9/4/2031", undefined],
    ["his is 9/4/84 and mine 2/2/86", undefined],
  ] as const) {
    assert.equal(read("date_of_birth", text, true), value, text);
  }
});

test("a date of birth is read where nobody asked for it, if it can be nothing else", () => {
  for (const [text, value] of [
    ["for my wife, born Aug 7 1970", "1970-08-07"],
    ["sounds good. 8/7/1970", "1970-08-07"],
    ["we bought it on 8/7/1970", undefined],
    ["we have 2, 4 and 10 year olds", undefined],
    ["call me on 12/4", undefined],
    ["august 7 2026 at 3", undefined],
  ] as const) {
    assert.equal(read("dob", text, false), value, text);
  }
});

test("fields of birth are known by their name or by what they are about", () => {
  for (const field of [
    "birthdate",
    "patient_dob",
    "birthday",
    { name: "patient", description: "When the patient was born" },
    { name: "identity_check", description: "The caller's date of birth" },
  ]) {
    assert.equal(read(field, "June 3, 1991", true), "1991-06-03", JSON.stringify(field));
  }
  assert.equal(
    read({ name: "birthday_party_date", description: "The day of the party" }, "June 3", true),
    "2027-06-03",
  );
});
