import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppError } from "#domain/values/errors.ts";
import { publicId } from "#domain/values/id.ts";
import { type AgentRow, agentRecord, checkedAgent, type NewAgent, patchedAgent } from "./record.ts";

const id = (n: number) => `01930000-0000-7000-8000-00000000000${n}`;
const sms: NewAgent = { agent_type: "sms", agent_name: "Sam", prompt: "Be kind." };
const fields = [
  "budget",
  { name: "size", type: "enum" as const, choices: ["S", "M"], required: true },
  { name: "why", type: "string" as const, description: "In a word", required: false },
];

function row(input: NewAgent): AgentRow {
  const at = new Date("2026-03-01T09:30:00Z");
  const voice = input.agent_type === "voice";
  return {
    id: id(1),
    organization_id: id(2),
    user_id: id(3),
    type: voice ? "voice" : "sms",
    version: 1,
    voice_agent_id: voice ? id(4) : null,
    voice_llm_id: voice ? id(5) : null,
    config: checkedAgent(input),
    created_at: at,
    updated_at: at,
  };
}

test("extraction fields are returned as they were given", () => {
  const record = agentRecord(row({ ...sms, extraction_fields: fields }));
  assert.deepEqual(record.extraction_fields, fields);
  assert.equal(record.agent_id, publicId("agent", id(1)));
  assert.equal("voice_agent_id" in record, false);
});

test("only a voice agent has voice ids", () => {
  const record = agentRecord(row({ ...sms, agent_type: "voice", voice_id: "slt" }));
  assert.equal(record.voice_agent_id, publicId("voiceAgent", id(4)));
  assert.equal(record.voice_llm_id, publicId("voiceLlm", id(5)));
  assert.equal(record.voice_id, "slt");
});

test("a patch changes what it has, and null puts back the default", () => {
  const old = row({
    ...sms,
    extraction_fields: fields,
    reply_delay_ms: 0,
    starting_message: "Hi",
    max_replies_per_day: 3,
  });
  const patched = patchedAgent(old, { prompt: "Be brief.", reply_delay_ms: null, starting_message: null });
  const { starting_message: _, ...rest } = checkedAgent({ ...sms, extraction_fields: fields, max_replies_per_day: 3 });
  assert.deepEqual(patched, { ...rest, prompt: "Be brief." });
  assert.deepEqual(patchedAgent(old, {}), old.config);
});

test("a patch may repeat the type and the owners, not change them", () => {
  const old = row(sms);
  patchedAgent(old, {
    agent_type: "sms",
    organization_id: publicId("organization", id(2)),
    user_id: publicId("user", id(3)),
  });
  assert.throws(
    () => patchedAgent(old, { agent_type: "voice", organization_id: "org_x", user_id: "usr_x" }),
    (error: AppError) =>
      error.status === 400 &&
      error.details?.map((detail) => detail.field).join() === "agent_type,organization_id,user_id",
  );
});

test("a voice agent keeps a voice, and one that can exist", () => {
  const old = row({ ...sms, agent_type: "voice", voice_id: "slt" });
  assert.throws(() => patchedAgent(old, { voice_id: null }), { status: 400, message: /^voice_id / });
  assert.throws(() => patchedAgent(old, { voice_id: "<no>" }), { status: 500, code: "voice_configuration_failed" });
});
