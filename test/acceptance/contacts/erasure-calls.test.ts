import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { NO_ID, parseId, publicId } from "#domain/values/id.ts";
import { removeDoomedObjects } from "#operations/sending/sweep.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls } from "#test/support/calls/calls.ts";
import { tablesWith } from "#test/support/database/tables-with.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const PHONE = "+12125550101";
const CANARIES = ["Zanzibella", "quokka-7", "5550101"];
const START = Date.parse("2026-11-20T15:00:00.000Z");

test("an erased person's calls contain nothing about the person", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const owner = { organization_id: of.publicOrganizationId, user_id: of.publicUserId };
  const contacts = [{ phone_number: PHONE, first_name: "Zanzibella" }];
  const list = await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts });
  const lead: string = list.body.leads[0].unique_id;
  const contact_id = parseId("contact", lead)!;
  const detail = (recording: string) => ({
    transcript: "User: I am Zanzibella and want the quokka-7.\n",
    utterances: [{ role: "contact" as const, text: "I am Zanzibella", startMs: 0, endMs: 9, words: [] }],
    extracted_fields: { wants: "quokka-7" },
    evidence: { wants: { quote: "the quokka-7" } },
    summary: "Zanzibella wants the quokka-7.",
    recording,
    recording_bytes: 4,
    recording_ms: 60_000,
    cost: { total: "0.01" },
  });
  const [called, stranger, other, live] = await insertCalls(sql, of, [
    { start_at: new Date(START), phone: PHONE, contact_id, detail: detail("a.wav") },
    { start_at: new Date(START + 1), phone: PHONE, direction: "inbound", detail: detail("b.wav") },
    {
      start_at: new Date(START + 2),
      phone: "+12125550199",
      detail: { transcript: "Agent: Hi.\n", recording: "c.wav" },
    },
    { start_at: new Date(START + 3), phone: PHONE, contact_id, status: "ongoing", end_at: null },
  ]);
  const dial = (state: string, due: string | null, n: number) =>
    sql.query(
      `insert into dials (tenant_id, campaign_id, id, lane_id, phone, contact_id, agent_id, agent_version, purpose, n, state, due_at,
         created_at, updated_at)
       values ($1, $2, gen_random_uuid(), $2, $3, $4, $5, 1, 'single', $6, $7, $8, now(), now())`,
      [of.tenantId, NO_ID, PHONE, contact_id, of.agentId, n, state, due],
    );
  await dial("done", null, 1);
  await dial("scheduled", "2099-01-01T00:00:00Z", 2);
  const recordings = join(api.config.dataDir, "recordings");
  mkdirSync(recordings, { recursive: true });
  for (const name of ["a.wav", "b.wav", "c.wav", "lost.wav"]) writeFileSync(join(recordings, name), "RIFF");
  const billed = async () =>
    (
      await sql.query(
        "select id, status, reason, duration_ms, start_at, end_at, cost from calls left join call_details on call_id = id order by id",
      )
    ).rows;
  const before = await billed();
  assert.ok((await tablesWith(sql, CANARIES)).length > 5, "the person is all over the place");

  assert.equal((await api.delete(`/v1/contacts/leads/${lead}`)).status, 200);

  await t.test("no table has a word of it, and its recordings are gone, those of others are not", async () => {
    assert.deepEqual(await tablesWith(sql, CANARIES), []);
    assert.deepEqual(
      ["a.wav", "b.wav", "c.wav"].map((name) => existsSync(join(recordings, name))),
      [false, false, true],
    );
    assert.equal((await sql.query("select from doomed_objects")).rowCount, 0);
    const { body } = await api.get(`/v1/voice/calls/${publicId("call", other!)}`);
    assert.deepEqual([body.call.to_number, body.call.transcript], ["+12125550199", "Agent: Hi.\n"]);
  });

  await t.test("what is counted and billed is as it was", async () => {
    assert.deepEqual(await billed(), before);
    for (const id of [called!, stranger!]) {
      const { status, body } = await api.get(`/v1/voice/calls/${publicId("call", id)}`);
      assert.deepEqual([status, body.call.call_duration_ms, body.call.recording_url], [200, 60_000, null]);
      assert.equal((await api.get(`/v1/voice/calls/${publicId("call", id)}/recording`)).status, 404);
    }
  });

  await t.test("a call that goes on is asked to end, and none that waited is placed", async () => {
    const { rows } = await sql.query("select stop_requested_at is not null as asked from calls where id = $1", [live]);
    assert.deepEqual(rows, [{ asked: true }]);
    const dials = await sql.query("select state, due_at, reason from dials order by n");
    assert.deepEqual(dials.rows, [
      { state: "done", due_at: null, reason: null },
      { state: "suppressed", due_at: null, reason: "contact_erased" },
    ]);
  });

  await t.test("a file whose removal was cut off goes with the sweep", async () => {
    await sql.query("insert into doomed_objects values ($1, 'lost.wav', now() - interval '2 minutes')", [of.tenantId]);
    const { ctx, close } = wire(api.config, api.databaseUrl, "sweep");
    await removeDoomedObjects(ctx);
    await close();
    assert.equal(existsSync(join(recordings, "lost.wav")), false);
    assert.equal((await sql.query("select from doomed_objects")).rowCount, 0);
  });
});
