import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedAgent, type NewAgent } from "#domain/agents/record.ts";
import type { WrittenQuestion } from "#domain/agents/script.ts";
import { scriptReader } from "./script.ts";

const AGENT: NewAgent = {
  agent_type: "sms",
  agent_name: "Ava",
  prompt: "Qualify the lead. We are open until 6. Do not promise a rate.",
  starting_message: "Hi {{first_name}}, what budget do you have in mind?",
  extraction_fields: ["city", { name: "budget", required: true }],
};
const read = (more: Partial<NewAgent> = {}, questions?: WrittenQuestion[]) =>
  scriptReader().read({ ...checkedAgent({ ...AGENT, ...more }), ...(questions ? { questions } : {}) });

test("what the starting message asks is marked, each question has three wordings, and the rest is facts", () => {
  const { questions, facts, offLimits } = read();
  assert.deepEqual(
    questions.map(({ field, kind, required, isFirst, rephrased }) => [
      field,
      kind,
      required,
      isFirst,
      rephrased.length,
    ]),
    [
      ["city", "place", false, false, 2],
      ["budget", "money", true, true, 2],
    ],
  );
  assert.deepEqual([facts, offLimits], [["We are open until 6."], ["Do not promise a rate."]]);
});

test("an agent without fields is asked what its instructions say to find out, or nothing", () => {
  const fields = (prompt: string) =>
    read({ prompt, extraction_fields: [], starting_message: undefined }).questions.map(({ field }) => field);
  assert.deepEqual(fields("Collect their city and their budget."), ["city", "budget"]);
  assert.deepEqual(fields("Be kind."), []);
});

test("a written question takes the place of what was read, and is asked again in made words where none are written", () => {
  const written = (...rephrased: string[]) =>
    read({}, [{ field: "city", question: "Which town is it?", rephrased }]).questions[0]!.rephrased;
  assert.deepEqual(written(), ["Just so I have it right: which town is it?", "One more try: which town is it?"]);
  assert.deepEqual(written("Town?"), ["Town?", "One more try: which town is it?"]);
  assert.deepEqual(written("Town?", "Place?"), ["Town?", "Place?"]);
});
