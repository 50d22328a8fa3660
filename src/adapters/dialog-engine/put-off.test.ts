import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtractionFieldInput } from "#domain/agents/extraction-field.ts";
import { texted } from "#test/support/agents/texted.ts";

const FIELDS: ExtractionFieldInput[] = [
  { name: "dogs", type: "number", description: "How many dogs they have" },
  { name: "size", choices: ["small", "large"], description: "Small or large" },
  { name: "weeks", type: "number", description: "How many weeks they need" },
];

const conversation = (texts: readonly string[], fields = FIELDS) =>
  texted(
    {
      start: "Hi Ann, Ava from Acme Kennels. How many dogs do you have?",
      prompt: "You are Ava from Acme Kennels.",
      fields,
    },
    texts,
  );

test("an answer that no rule reads is noted for the team, and the agent goes on", async () => {
  const { answers, known } = await conversation(["two", "somewhere around my knee", "three"]);
  assert.match(answers[1]!, /^I've noted that for our team\. .*weeks.*\?$/);
  assert.doesNotMatch(answers[2]!, /\?/);
  assert.deepEqual(known, { dogs: "2", weeks: "3" });
});

test("the last field of all is asked for once more, since nothing else is to be asked", async () => {
  const { answers } = await conversation(["two", "small", "as long as the trip takes", "until we are back"]);
  assert.match(answers[2]!, /^Sorry, .*weeks.*\?$/);
  assert.doesNotMatch(answers[3]!, /\?/);
});

test("a field that is answered late, after the agent has gone on, is known all the same", async () => {
  const [dogs, size] = FIELDS;
  const coat: ExtractionFieldInput = { name: "coat", choices: ["short", "long"], description: "Short or long coat" };
  const { known } = await conversation(
    ["small", "more than the neighbours", "six or so i guess"],
    [size!, dogs!, coat],
  );
  assert.deepEqual(known, { size: "small", dogs: "6" });
});

test("what is no answer has the question asked again at once", async () => {
  for (const text of ["hm", "heyy", "asdfgh", "that depends", "let me check", "yes", "no wait"]) {
    const { answers } = await conversation(["two", text]);
    assert.match(answers[1]!, /small or large\?$/, text);
  }
});

test("a number that answers no question of words is for the one field that wants a number", async () => {
  const place: ExtractionFieldInput = { name: "venue", description: "Where it takes place" };
  const guests: ExtractionFieldInput = { name: "guests", type: "number", description: "How many guests come" };
  const [, size] = FIELDS;
  const { known } = await conversation(["small", "110ish"], [size!, place, guests]);
  assert.equal(known.guests, "110");
  assert.equal(known.venue, undefined);
});

test("what somebody does not want beside an answer turns nothing down", async () => {
  const { answers, known } = await conversation(["two", "small, we don't need anything fancy"]);
  assert.match(answers[1]!, /weeks.*\?$/);
  assert.equal(known.size, "small");
  const over = await conversation(["two", "small, but i'm not interested anymore"]);
  assert.doesNotMatch(over.answers[1]!, /\?/);
});
