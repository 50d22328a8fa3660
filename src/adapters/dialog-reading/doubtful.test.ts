import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtractionFieldInput } from "#domain/agents/extraction-field.ts";
import { readField as read } from "#test/support/agents/read-field.ts";

type Field = Exclude<ExtractionFieldInput, string>;
type Case = readonly [text: string, value: string | undefined];

function check(field: Field, direct: boolean, cases: readonly Case[]): void {
  for (const [text, value] of cases) assert.equal(read(field, text, direct), value, `${field.name}: ${text}`);
}

const words = (name: string, description: string): Field => ({ name, description });
const number = (name: string, description: string): Field => ({ name, type: "number", description });
const yesNo = (name: string, description: string): Field => ({ name, type: "boolean", description });

test("of a field that asks for any, none is an answer, and what is not known or is left out is no none", () => {
  check(words("injuries", "Any injuries"), true, [
    ["none", "none"],
    ["nope, nothing", "none"],
    ["not that I know of", "none"],
    ["no injuries", "none"],
    ["no, we're all in good shape", "none"],
    ["no idea", undefined],
    ["no but my back is bad", "my back is bad"],
    ["a stiff shoulder", "a stiff shoulder"],
  ]);
  check(words("sport", "The sport they play"), true, [["none", undefined]]);
});

test("what somebody else pays, and what would be, is no answer", () => {
  const rate: Field = { name: "rent", type: "number", description: "What they pay per month" };
  check(rate, true, [
    ["my cousin pays 900", undefined],
    ["900", "900"],
    ["our neighbor got it for 700, we can do 650", "650"],
  ]);
  check(number("tables", "How many tables they need"), true, [
    ["and if there's 12 of us", undefined],
    ["if I had to guess 12", "12"],
    ["what if we took 9, but for now 7", "7"],
  ]);
});

test("adults and children are counted apart where the field names them, and together where it does not", () => {
  check(number("travellers", "How many people travel"), true, [
    ["4 adults and 2 kids", "6"],
    ["one adult plus three children", "4"],
  ]);
  check(number("adults", "How many adults travel"), true, [
    ["4 adults and 2 kids", "4"],
    ["my husband and me and our two girls", "2"],
  ]);
  check(number("children", "How many children travel"), true, [
    ["4 adults and 2 kids", "2"],
    ["we have twins", "2"],
    ["they're six and nine", undefined],
  ]);
  check(number("youngest_age", "How old the youngest is"), true, [
    ["one is 7 and the other 4", "4"],
    ["9", "9"],
  ]);
});

test("a number of two things, of an address, of a day or a pronoun counts nothing else", () => {
  const crates = number("crates", "How many crates they have");
  check(crates, true, [
    ["three doors and two windows", undefined],
    ["at 12 Birch Lane", undefined],
    ["just the small one", undefined],
    ["Jan 4", undefined],
  ]);
  check({ name: "fee", type: "number", description: "What they can pay" }, true, [["jan 9", undefined]]);
  check(number("floor_area", "How many square feet the shop has"), true, [
    ["twenty six hundred I think", "2600"],
    ["thirteen hundred square feet", "1300"],
  ]);
});

test("a field of days, of a length or of a color takes nothing else", () => {
  check(words("shift_days", "Which days they can work"), true, [
    ["tues thru sat", "tues thru sat"],
    ["mondays and fridays, 9 to 3", "mondays and fridays, 9 to 3"],
    ["he turns five in june", undefined],
  ]);
  check(words("trained_for", "How long they have trained"), true, [
    ["about two years", "about two years"],
    ["he likes it a lot", undefined],
  ]);
  check(words("wall_color", "The color of the wall"), true, [
    ["dark green", "dark green"],
    ["getting divorced", undefined],
  ]);
  check(words("breed", "What breed it is"), true, [
    ["any day after 5", undefined],
    ["this week if possible", undefined],
    ["that one", undefined],
    ["88 Cedar Rd", undefined],
    ["ouch", undefined],
    ["that's a shame", undefined],
    ["that'd be great", undefined],
  ]);
});

test("a yes or a no follows from what is so", () => {
  const empty = yesNo("vacant", "Whether it is vacant");
  check(empty, true, [
    ["renters are still living there", "false"],
    ["it has been empty since may", "true"],
  ]);
  check(yesNo("is_birthday", "Whether it is a birthday"), true, [["my sister turns 30", "true"]]);
  check(yesNo("special_event", "Whether it is for an event"), true, [["a wedding in june", "true"]]);
  check(yesNo("delivery", "Whether they want it delivered"), true, [["that would be great", "true"]]);
  const dog = yesNo("has_dog", "Whether they have a dog");
  check(dog, true, [
    ["an old beagle", "true"],
    ["we have a cat", undefined],
    ["i wish", "false"],
    ["ok, she stays with my aunt then", undefined],
  ]);
  check(yesNo("owns_drum", "Whether they own a drum"), true, [["never played before", undefined]]);
  check(yesNo("has_suit", "Whether they have a suit"), false, [
    ["it's not for me it's for my brother's suit", undefined],
    ["i don't have a suit", "false"],
  ]);
});

test("a choice is not made by the question beside it, and the other of two is meant by who comes in person", () => {
  const size: Field = { name: "length", choices: ["short", "long"] };
  check(size, true, [["short. how long does it last", "short"]]);
  const where: Field = { name: "where", choices: ["online", "studio"] };
  check(where, true, [
    ["in person", "studio"],
    ["I'll come over", "studio"],
    ["can I do it in person?", undefined],
  ]);
});
