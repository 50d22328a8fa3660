import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import { CallStart, CallWord } from "#contract/agents/playground-calls.ts";
import { mutantsOf } from "#test/support/api/bad-values.ts";
import { fits, type JsonSchema } from "#test/support/api/openapi.ts";
import { until } from "#test/support/api/parley.ts";
import { NEVER } from "#test/support/api/world.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { atOnce } from "#test/support/time/at-once.ts";

/** Sockets at one time. */
const AT_ONCE = 4;
const CALL = "/v1/playground/calls";
const SOUND = "/v1/simulator/handsets/%2B12125550199/calls/sim_999999999999/sound";

/** A frame as it is sent: `text` frames may hold what is no text. */
type Frame = { data: string | Uint8Array; binary: boolean };
const text = (data: string | Uint8Array): Frame => ({ data, binary: false });
const binary = (bytes: number): Frame => ({ data: new Uint8Array(bytes), binary: true });

/** The error that a socket gets before it is closed, and its close code. A long silence is a fault: a mistake gets an error. */
type Closed = { code: number; error: { code?: string; details?: { field: string }[]; error?: string } | undefined };

const START = {
  type: "start",
  agent_id: NEVER.agent_id,
  organization_id: NEVER.org_id,
  objective: "To sell",
  contact: { phone_number: "+12125550199", first_name: "Ann", loan_type: "fixed" },
  draft: {
    agent_name: "Ava",
    prompt: "Ask.",
    voice_speed: 1,
    extraction_fields: ["interest"],
    boosted_keywords: ["Acme"],
  },
};

/** What is no message of ours, as bytes. Each is refused by the body's parser before a field is looked at. */
const NO_MESSAGE: readonly (readonly [what: string, frame: Frame, code?: number])[] = [
  ["B001 nothing", text("")],
  ["B002 null", text("null")],
  ["B003 an array", text("[]")],
  ["B004 a text", text('"start"')],
  ["B005 a number", text("42")],
  ["B006 half of it", text('{"type":"sta')],
  ["B007 a trailing comma", text('{"type":"start",}')],
  ["B008 two of them", text('{"type":"start"}{"type":"start"}')],
  ["B012 __proto__", text('{"type":"start","__proto__":{"polluted":true}}')],
  ["B013 constructor.prototype", text('{"type":"start","constructor":{"prototype":{"polluted":true}}}')],
  ["B014 10,000 levels", text(`{"type":"start","contact":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`)],
  ["B061 half a character", text('{"type":"start","objective":"a\\ud800b"}')],
  ["B062 a NUL", text('{"type":"start","objective":"a\\u0000b"}')],
  // The WebSocket itself refuses these two: its own codes say why.
  ["B010 no UTF-8", text(Uint8Array.of(0x22, 0xff, 0xfe, 0x22)), 1007],
  ["B060 a text of 1 MB", text(JSON.stringify({ ...START, objective: "x".repeat(1024 * 1024) })), 1009],
  ["more than 1 MB of sound", binary(1024 * 1024 + 1), 1009],
];

/** A place is left a moment after its socket is closed. */
const whenThereIsRoom = (ask: () => Promise<Closed>): Promise<Closed> =>
  until("there is room for a call", async () => {
    const closed = await ask();
    return closed.error?.code !== "overloaded" && closed;
  });

test("malformed socket messages", { timeout: 180_000 }, async (t) => {
  const api = await startApiProcess(t);
  const client = await openClient(t, api.databaseUrl);
  const before = await digestOfRows(client);

  const send = (path: string, frames: readonly Frame[], after = ""): Promise<Closed> => {
    const socket = new WebSocket(api.url.replace(/^http/, "ws") + path, { headers: { "x-api-key": api.key } });
    let error: Closed["error"];
    let isBegun = after === "";
    const send = () => {
      for (const { data, binary: isBinary } of frames) socket.send(data, { binary: isBinary });
    };
    return new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => {
        if (after) socket.send(after);
        else send();
      });
      socket.on("message", (data, isBinary) => {
        if (isBinary) return;
        const closed = JSON.parse(String(data));
        if (closed.type === "error") error = closed;
        if (closed.type === "started" && !isBegun) {
          isBegun = true;
          send();
        }
      });
      socket.on("close", (code) => resolve({ code, error }));
    });
  };

  await t.test("an invalid message closes the socket with the reason", async () => {
    for (const path of [CALL, SOUND]) {
      for (const [what, frame, closes = 1008] of NO_MESSAGE) {
        const { code, error } = await whenThereIsRoom(() => send(path, [frame]));
        // That the handset's call is not there may be reported first.
        if (path === SOUND && error?.code === "not_found") continue;
        assert.equal(code, closes, `${path} ${what}`);
        if (closes === 1008) assert.equal(error?.code, "invalid_request", what);
      }
    }
  });

  await t.test("a first message that violates its schema gets an error that names the field", async () => {
    const schema = CallStart as unknown as JsonSchema;
    const mutants = mutantsOf(schema, START).filter(({ b }) => b !== "B060");
    const wrong: string[] = [];
    await atOnce(AT_ONCE, mutants, async (mutant) => {
      const { code, error } = await whenThereIsRoom(() => send(CALL, [text(mutant.text)]));
      const said = `${mutant.b} ${mutant.at}, ${mutant.what}: ${code} ${JSON.stringify(error)}`;
      const fields = (error?.details ?? []).map(({ field }) => field);
      const isNamed = fields.some((field) => field.startsWith(mutant.at) || mutant.at.startsWith(field));
      if (code !== 1008 || error === undefined) wrong.push(said);
      else if (!fits(schema, JSON.parse(mutant.text)) && mutant.at !== "tenant_id" && !isNamed) wrong.push(said);
    });
    t.diagnostic(`${mutants.length} first messages`);
    assert.deepEqual(wrong, []);
  });

  await t.test("once a call goes on, an invalid message or invalid sound ends it, and nothing else", async () => {
    const owner = (await api.post("/v1/organizations", { name: "Acme" })).body.unique_id;
    const start = JSON.stringify({
      type: "start",
      organization_id: owner,
      draft: { agent_type: "voice", agent_name: "Vera", prompt: "Ask.", voice_id: "offline-slt" },
    });
    const later: Frame[] = [
      ...NO_MESSAGE.filter(([, , code]) => code === undefined).map(([, frame]) => frame),
      ...mutantsOf(CallWord as unknown as JsonSchema, { type: "digit", digit: "1" })
        .filter(({ text, b }) => b !== "B060" && !fits(CallWord as unknown as JsonSchema, JSON.parse(text)))
        .map((mutant) => text(mutant.text)),
      text('{"type":"digit","digit":"x"}'),
      // Text frames with sound's bytes, and sound that is no whole frame.
      text("x".repeat(160)),
      binary(0),
      binary(159),
      binary(16_000),
    ];
    for (const frame of later) {
      const { code, error } = await whenThereIsRoom(() => send(CALL, [frame], start));
      assert.deepEqual([code, error?.code], [1008, "invalid_request"], JSON.stringify(String(frame.data).slice(0, 60)));
    }
  });

  await t.test("the api keeps running, has written nothing, and logs no error", async () => {
    assert.equal((await api.get("/v1/me")).status, 200);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    // One organization was made, which the audit log says.
    const { organizations: _, audit_entries: entries, ...rest } = await digestOfRows(client);
    const { organizations: __, audit_entries: ___, ...had } = before;
    assert.match(entries!, /^1 /);
    assert.deepEqual(rest, had);
    assert.deepEqual(api.complaints, []);
  });
});
