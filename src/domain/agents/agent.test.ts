import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentInput, agentProblems, smsAgent, voiceAgent } from "./agent.ts";
import { extractionFieldProblems, normaliseExtractionFields } from "./extraction-field.ts";

const good: AgentInput & { agent_name: string; prompt: string } = {
  agent_type: "sms",
  agent_name: "Sam",
  prompt: "Be kind.",
  starting_message: "Hi {{first_name}}",
};

const fields = (more: AgentInput) => agentProblems({ ...good, ...more }).map((problem) => problem.field);

test("a plain SMS agent has no problems and gets its defaults", () => {
  assert.deepEqual(agentProblems(good), []);
  assert.deepEqual(smsAgent(good), {
    agent_type: "sms",
    agent_name: "Sam",
    starting_message: "Hi {{first_name}}",
    prompt: "Be kind.",
    extraction_fields: [],
    drip_schedule: [],
    reply_delay_ms: 4_000,
    max_replies_per_day: 20,
    allowed_links: [],
  });
});

test("zero is a value, not an absence", () => {
  const agent = smsAgent({ ...good, reply_delay_ms: 0, temperature: 0 });
  assert.equal(agent.reply_delay_ms, 0);
  assert.equal(agent.temperature, 0);
  assert.equal(voiceAgent({ ...good, voice_id: "slt", interruption_sensitivity: 0 }).interruption_sensitivity, 0);
});

test("drips are kept in the order of their days", () => {
  const drip_schedule = [
    { day: 3, message: "b" },
    { day: 1, message: "a" },
  ];
  assert.deepEqual(
    smsAgent({ ...good, drip_schedule }).drip_schedule.map((drip) => drip.day),
    [1, 3],
  );
});

test("every range and length of an SMS agent is held, at both edges", () => {
  for (const [more, wrong] of [
    [{ agent_type: "email" }, ["agent_type"]],
    [{ agent_name: " " }, ["agent_name"]],
    [{ agent_name: "a".repeat(201) }, ["agent_name"]],
    [{ prompt: "" }, ["prompt"]],
    [{ prompt: "a".repeat(50_000) }, []],
    [{ prompt: "a".repeat(50_001) }, ["prompt"]],
    [{ prompt: "a".repeat(1_000_000) }, ["prompt"]],
    [{ starting_message: "a".repeat(1_600) }, []],
    [{ starting_message: "a".repeat(1_601) }, ["starting_message"]],
    [{ starting_message: "Hi {{first_name" }, ["starting_message"]],
    [{ starting_message: "Hi {{a {{b}}}}" }, ["starting_message"]],
    [{ reply_delay_ms: 300_000 }, []],
    [{ reply_delay_ms: 300_001 }, ["reply_delay_ms"]],
    [{ reply_delay_ms: -1 }, ["reply_delay_ms"]],
    [{ reply_delay_ms: 0.5 }, ["reply_delay_ms"]],
    [{ reply_delay_ms: Number.NaN }, ["reply_delay_ms"]],
    [{ max_replies_per_day: 0 }, ["max_replies_per_day"]],
    [{ temperature: 2.1 }, ["temperature"]],
    [{ allowed_links: ["acme.com", "https://acme.com/x"] }, []],
    [{ allowed_links: ["acme.com", "javascript:x"] }, ["allowed_links[1]"]],
    [{ allowed_links: Array(101).fill("acme.com") }, ["allowed_links"]],
    [{ working_hours: { start: "09:00", end: "17:00", days: [1, 2, 3, 4, 5] } }, []],
    [
      { working_hours: { start: "9", end: "25:00", days: [] } },
      ["working_hours.start", "working_hours.end", "working_hours.days"],
    ],
    [{ working_hours: { start: "17:00", end: "09:00", days: [0] } }, ["working_hours.end", "working_hours.days"]],
    [{ working_hours: { start: "08:00", end: "24:00", days: [1, 1] } }, ["working_hours.days"]],
  ] as [AgentInput, string[]][]) {
    assert.deepEqual(fields(more), wrong, JSON.stringify(more).slice(0, 80));
  }
});

test("a drip has a day from 0 to 3650, once, and a message that can be sent", () => {
  const drips = (...days: number[]) => fields({ drip_schedule: days.map((day) => ({ day, message: "Hi" })) });
  assert.deepEqual(drips(0, 1, 3_650), []);
  assert.deepEqual(
    drips(-1, 3_651, 1_000_000, 1.5),
    [0, 1, 2, 3].map((i) => `drip_schedule[${i}].day`),
  );
  assert.deepEqual(drips(1, 2, 1), ["drip_schedule[2].day"]);
  assert.deepEqual(drips(...Array(50).keys()), []);
  assert.deepEqual(drips(...Array(1_000).keys()), ["drip_schedule"]);
  const messages = (...texts: string[]) => fields({ drip_schedule: texts.map((message, day) => ({ day, message })) });
  assert.deepEqual(
    messages("ok", " ", "{{x", "a".repeat(1_601)),
    [1, 2, 3].map((i) => `drip_schedule[${i}].message`),
  );
});

test("a voice agent needs a voice and stays within Retell's ranges", () => {
  const voice = (more: AgentInput) => fields({ agent_type: "voice", voice_id: "slt", ...more });
  assert.deepEqual(fields({ agent_type: "voice" }), ["voice_id"]);
  for (const [more, wrong] of [
    [{}, []],
    [{ voice_id: " " }, ["voice_id"]],
    [{ voice_speed: 0.5 }, []],
    [{ voice_speed: 0.49 }, ["voice_speed"]],
    [{ voice_speed: 2.01 }, ["voice_speed"]],
    [{ voice_temperature: 3 }, ["voice_temperature"]],
    [{ interruption_sensitivity: 1.1 }, ["interruption_sensitivity"]],
    [{ responsiveness: -0.1 }, ["responsiveness"]],
    [{ ambient_sound_volume: 2.5 }, ["ambient_sound_volume"]],
    [{ ambient_sound: "coffee-shop" }, []],
    [{ ambient_sound: "disco" }, ["ambient_sound"]],
    [{ max_call_duration_ms: 59_999 }, ["max_call_duration_ms"]],
    [{ end_call_after_silence_ms: 9_999 }, ["end_call_after_silence_ms"]],
    [{ ring_duration_ms: 300_001 }, ["ring_duration_ms"]],
    [{ transfer_to: "+13035550100" }, []],
    [{ transfer_to: "303" }, ["transfer_to"]],
    [{ boosted_keywords: ["Acme", ""] }, ["boosted_keywords"]],
    [{ voicemail_message: "Hi {{x" }, ["voicemail_message"]],
  ] as [AgentInput, string[]][]) {
    assert.deepEqual(voice(more), wrong, JSON.stringify(more));
  }
});

test("a language is a tag of a language that exists", () => {
  for (const language of ["en", "en-US", "es-419", "zh-Hant-TW", "pt-br"])
    assert.deepEqual(fields({ language }), [], language);
  for (const language of ["", "bogus", "xx-YY-zz", "english", "en_US", "e", "-", "en-US-"]) {
    assert.deepEqual(fields({ language }), ["language"], language);
  }
  assert.equal(voiceAgent({ ...good, voice_id: "slt", language: "pt-br" }).language, "pt-BR");
});

test("extraction fields are names or objects, unique, and every problem is named at once", () => {
  assert.deepEqual(normaliseExtractionFields(["budget", { name: "size", choices: ["S", "M"], required: true }]), [
    { name: "budget", type: "string", choices: [], required: false },
    { name: "size", type: "enum", choices: ["S", "M"], required: true },
  ]);
  const problems = extractionFieldProblems(
    [
      "ok",
      "OK",
      "1st",
      "",
      "a".repeat(65),
      "__proto__",
      { name: "size", type: "enum" },
      { name: "n", type: "number", choices: ["1"] },
      { name: "c", choices: ["a", "A"] },
      { name: "d", choices: [" "] },
      { name: "e", description: "x".repeat(501) },
    ],
    "extraction_fields",
  );
  assert.deepEqual(
    problems.map((problem) => problem.field.replace("extraction_fields", "")),
    ["[1]", "[2]", "[3]", "[4]", "[5]", "[6].choices", "[7].choices", "[8].choices", "[9].choices", "[10].description"],
  );
  assert.equal(extractionFieldProblems(Array(51).fill("a"), "f").length, 1);
});
