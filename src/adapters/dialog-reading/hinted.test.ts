import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtractionFieldInput } from "#domain/agents/extraction-field.ts";
import { readField as read } from "#test/support/agents/read-field.ts";
import { actsIn } from "./acts.ts";
import { refusesByReason } from "./implied.ts";

const yesNo = (name: string, description: string): ExtractionFieldInput => ({ name, type: "boolean", description });

test("a yes or a no is understood from what is said instead", () => {
  for (const [field, text, value] of [
    [yesNo("drinks", "Whether they drink alcohol"), "only socially", "true"],
    [yesNo("drinks", "Whether they drink alcohol"), "gave it up in 2019", "false"],
    [yesNo("rent_overdue", "Whether rent is overdue"), "we're all caught up", "false"],
    [yesNo("rent_overdue", "Whether rent is overdue"), "by three months", "true"],
    [yesNo("wants_lights", "Whether they need lights"), "I won't need any", "false"],
    [yesNo("animals", "Whether they have pets"), "an old poodle", "true"],
    [yesNo("speaks_german", "Whether they speak German"), "a little bit", "true"],
    [yesNo("speaks_german", "Whether they speak German"), "a little bit of what?", undefined],
    [yesNo("drinks", "Whether they drink alcohol"), "next tuesday", undefined],
  ] as const) {
    assert.equal(read(field, text, true), value, text);
  }
});

test("a word of the field behind a word that denies it is a no, though something else was asked", () => {
  const hearing = yesNo("hearing_aid", "Whether they wear a hearing aid");
  assert.equal(read(hearing, "77, never used a hearing aid", false), "false");
  assert.equal(read(yesNo("drinker", "Whether they drink"), "45, non drinker", false), "false");
  assert.equal(read(hearing, "never had a problem", false), undefined);
});

test("an address of a street is read wherever it is said, and in answer to its question without the kind of street", () => {
  for (const [text, direct, value] of [
    ["we live at 91 Cedar Ridge Ln, come any day", false, "91 Cedar Ridge Ln"],
    ["nineteen twelve west pine street", false, "nineteen twelve west pine street"],
    ["6 Elm Ct apt 4, Golden", false, "6 Elm Ct apt 4, Golden"],
    ["300 Broadway", true, "300 Broadway"],
    ["300 Broadway", false, undefined],
    ["3 of us", true, undefined],
    ["12 people", true, undefined],
    ["5 or 6 in the evening", true, undefined],
    ["we have two dogs and drive a lot", false, undefined],
  ] as const) {
    assert.equal(read("home_address", text, direct), value, text);
  }
});

test("a reason that leaves nothing to want is a refusal, and a hesitation is none", () => {
  const refuses = (text: string): boolean =>
    refusesByReason({ text, at: new Date(0), zone: "America/Denver", ...actsIn(text) }, "interest");
  for (const text of [
    "too expensive for us",
    "sorry, too far away",
    "we won't be needing a sitter",
    "that's a deal breaker",
    "nevermind we found one",
    "I gave it away",
  ])
    assert.equal(refuses(text), true, text);
  for (const text of ["is it too far?", "maybe, if it's not too expensive", "never mind the mess", "we give classes"])
    assert.equal(refuses(text), false, text);
});

test("who says that it sounds like a machine asks whether it is one", () => {
  for (const text of ["this sounds like a recording", "you talk like a robot lol"])
    assert.ok(actsIn(text).acts.has("robot"), text);
  assert.ok(!actsIn("the pump sounds like a jet").acts.has("robot"));
});

test("a day of each week is kept in words, and of others a yes or no says who is there", () => {
  assert.equal(read("pickup_day", "any tuesday", true), "any tuesday");
  assert.equal(read("pickup_day", "thursdays work", true), "thursdays");
  assert.equal(read("pickup_day", "not on mondays", true), undefined);
  const signer = yesNo("co_signer", "Whether anyone else signs");
  assert.equal(read(signer, "just me", true), "false");
  assert.equal(read(signer, "my sister and me", true), "true");
  assert.equal(
    read({ name: "walks", type: "number", description: "How many walks per month" }, "once a week", true),
    undefined,
  );
  assert.ok(!actsIn("it makes an awful rattle").acts.has("hostile"));
  assert.ok(actsIn("you are awful").acts.has("hostile"));
  assert.equal(read("brand", "nothing but Miele", true), "Miele");
  assert.equal(read("brand", "just me", true), undefined);
});

test("both is an answer where it is a choice, and a half of what is counted is a number", () => {
  const part: ExtractionFieldInput = { name: "package", type: "enum", choices: ["interior", "exterior", "both"] };
  assert.equal(read(part, "both inside and outside", true), "both");
  assert.equal(read(part, "the works", true), "both");
  assert.equal(read(part, "just the outside", true), "exterior");
  const cords: ExtractionFieldInput = { name: "cords", type: "number", description: "How many cords they want" };
  assert.equal(read(cords, "half a cord", true), "0.5");
  assert.equal(read(cords, "half a mile down the road", true), undefined);
});
