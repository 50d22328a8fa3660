import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { recordingName } from "#app/plane/recordings.ts";
import { mediaName } from "#domain/messaging/media.ts";
import { publicId } from "#domain/values/id.ts";
import { wavHeader } from "#media/recording/wav.ts";
import { objectUploader } from "#operations/calls/upload-objects.ts";
import type { Context } from "#operations/context.ts";
import { removeDoomedObjects } from "#operations/sending/sweep.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, type CallRow, insertCalls } from "#test/support/calls/calls.ts";
import { s3Env, startS3 } from "#test/support/objects/s3-server.ts";
import { beforeStore } from "#test/support/objects/unreliable-store.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

const NEVER = new AbortController().signal;
const PHONE = "+12125550101";
const MINUTE_MS = 60_000;
/** A second of sound. */
const WAV = Buffer.concat([wavHeader("ulaw", 16_000), Buffer.alloc(16_000, 0x55)]);

const later = (ctx: Context, ms: number): Context => ({ ...ctx, now: () => new Date(Date.now() + ms) });

/** Two nodes with a disk each, over one database and one bucket. Node B serves HTTP; node A is what holds a call. */
async function twoNodes(t: TestContext) {
  const server = await startS3(t);
  const proxy = await beforeStore(t, server.url);
  const env = s3Env(server, proxy.url);
  const b = await startParley(t, env, ["api"]);
  const a = wire({ ...b.config, dataDir: aFolder("node") }, b.databaseUrl, "media");
  t.after(a.close);
  const sql = await openClient(t, b.databaseUrl);
  const of = await aVoiceOwner(b, sql);
  const folder = aFolder("node");
  const keep = async (name: string) => {
    writeFileSync(join(folder, "whole.wav"), WAV);
    await a.ctx.objects.keep(name, join(folder, "whole.wav"));
  };
  let startMs = Date.parse("2026-11-20T15:00:00.000Z");
  /** A call that is over, recorded by node A. */
  const aCall = async (more: Partial<CallRow> = {}) => {
    const [id] = await insertCalls(sql, of, [{ start_at: new Date(startMs++), phone: PHONE, ...more }]);
    return id!;
  };
  const recorded = async () => {
    const id = a.ctx.newId();
    const name = recordingName(of.tenantId, id);
    await aCall({ id, detail: { recording: name, recording_bytes: WAV.length, recording_ms: 1_000 } });
    await keep(name);
    return { id, name, path: `/v1/voice/calls/${publicId("call", id)}/recording` };
  };
  const onDiskOfA = async () => a.ctx.objects.shared!.left(new Date(Date.now() + MINUTE_MS));
  /** The person of the calls, by whom one can be erased. */
  const aLead = async (): Promise<string> => {
    const owner = { organization_id: of.publicOrganizationId, user_id: of.publicUserId };
    const contacts = [{ phone_number: PHONE, first_name: "Zoe" }];
    const { body } = await b.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts });
    return body.leads[0].unique_id;
  };
  const erase = async (lead: string) => assert.equal((await b.delete(`/v1/contacts/leads/${lead}`)).status, 200);
  return { server, proxy, b, a, sql, of, keep, aCall, aLead, erase, recorded, onDiskOfA };
}

test("a recording of one node is served by another once it is uploaded, whole and in part", async (t) => {
  const { server, b, a, recorded, onDiskOfA } = await twoNodes(t);
  const { name, path } = await recorded();
  const uploader = objectUploader(a.ctx, a.ctx.objects.shared!);
  assert.deepEqual([(await b.get(path)).status, await onDiskOfA()], [404, [name]]);

  await uploader.round(NEVER);

  assert.deepEqual([await onDiskOfA(), server.keys()], [[], [`recordings/${name}`]]);
  assert.deepEqual(uploader.state(), { waiting: 0, confirmed: 1, failing: false, problem: null });
  const headers = { "x-api-key": b.key };
  const whole = await fetch(b.url + path, { headers });
  assert.deepEqual([whole.status, Buffer.from(await whole.arrayBuffer()).equals(WAV)], [200, true]);
  const part = await fetch(b.url + path, { headers: { ...headers, range: "bytes=58-61" } });
  assert.deepEqual([part.status, part.headers.get("content-range")], [206, `bytes 58-61/${WAV.length}`]);
  assert.equal((await part.arrayBuffer()).byteLength, 4);
});

test("while the store is away nothing is lost: the disk keeps it, and who asks another node is to come back", async (t) => {
  const { server, proxy, b, a, recorded, onDiskOfA } = await twoNodes(t);
  const stored = await recorded();
  const uploader = objectUploader(a.ctx, a.ctx.objects.shared!);
  await uploader.round(NEVER);
  proxy.set(() => "denied");
  const { name } = await recorded();

  assert.ok((await uploader.round(NEVER)) >= 2_000, "it waits longer than it does otherwise");
  const { waiting, failing, problem } = uploader.state();
  assert.deepEqual([waiting, failing, await onDiskOfA()], [1, true, [name]]);
  assert.match(problem!, /^bucket parley-test: access is denied/);
  assert.match((await a.ctx.objects.shared!.problem())!, /access is denied/);
  assert.equal((await fetch(`${b.url}/readyz`)).status, 200);
  assert.match(await (await fetch(`${b.url}/metrics`)).text(), /^parley_objects_waiting\{node="api"\} 0$/m);
  const { status, body } = await b.get(stored.path);
  assert.deepEqual([status, body.code], [503, "unavailable"]);

  proxy.set(() => undefined);
  await uploader.round(NEVER);
  assert.deepEqual([await onDiskOfA(), uploader.state().problem, server.keys().length], [[], null, 2]);
  assert.equal(await a.ctx.objects.shared!.problem(), null);
  assert.equal(server.keys().length, 2, "the probe is removed");
});

test("who is erased is erased from the store, and once more after the last upload that may have been under way", async (t) => {
  const { server, proxy, a, sql, aLead, erase, recorded } = await twoNodes(t);
  const lead = await aLead();
  const { name } = await recorded();
  await objectUploader(a.ctx, a.ctx.objects.shared!).round(NEVER);
  // The store refuses while the person is erased: that succeeds, and the file follows.
  proxy.set(() => "error");
  await erase(lead);
  assert.deepEqual(server.keys(), [`recordings/${name}`]);
  proxy.set(() => undefined);

  await removeDoomedObjects(later(a.ctx, 2 * MINUTE_MS));
  assert.deepEqual(server.keys(), []);
  const doomed = async () => (await sql.query("select from doomed_objects")).rowCount;
  assert.equal(await doomed(), 1);
  await removeDoomedObjects(later(a.ctx, 10 * MINUTE_MS));
  assert.equal(await doomed(), 1);
  await removeDoomedObjects(later(a.ctx, 20 * MINUTE_MS));
  assert.deepEqual([await doomed(), server.keys()], [0, []]);
});

test("who is erased while the recording is on its way to the store is in neither place then", async (t) => {
  const { server, proxy, a, aLead, erase, recorded, onDiskOfA } = await twoNodes(t);
  const lead = await aLead();
  await recorded();
  proxy.set(({ method }) => (method === "PUT" ? "slow" : undefined));
  const uploading = objectUploader(a.ctx, a.ctx.objects.shared!).round(NEVER);
  while (proxy.counts().faults.slow !== 1) await new Promise(setImmediate);
  await erase(lead);
  await uploading;

  assert.deepEqual([await onDiskOfA(), server.keys()], [[], []]);
});

test("what a process has left on the disk is linked to its call and uploaded, and what is nobody's goes", async (t) => {
  const { server, a, sql, of, keep, aCall, onDiskOfA } = await twoNodes(t);
  const unlinked = await aCall();
  const ongoing = await aCall({ status: "ongoing", end_at: null });
  const names = [unlinked, ongoing, a.ctx.newId()].map((id) => recordingName(of.tenantId, id));
  for (const name of names) await keep(name);
  const lost = mediaName(of.tenantId, a.ctx.newId());
  await a.ctx.objects.put(lost, Buffer.from("a picture of a text that is gone"));
  // Another process than the one that wrote them, after a while.
  const uploader = objectUploader(later(a.ctx, 2 * MINUTE_MS), a.ctx.objects.shared!);
  a.ctx.objects.shared!.fresh();

  await uploader.round(NEVER);
  await uploader.round(NEVER);

  assert.deepEqual([await onDiskOfA(), server.keys()], [[names[1]], [`recordings/${names[0]}`]]);
  const { rows } = await sql.query("select recording, recording_ms from call_details where call_id = $1", [unlinked]);
  assert.deepEqual(rows, [{ recording: names[0], recording_ms: 1_000 }]);
});

test("a node that was without the store hands over what its disk has from before", async (t) => {
  const { server, a, recorded } = await twoNodes(t);
  const { name } = await recorded();
  a.ctx.objects.shared!.fresh();

  await objectUploader(later(a.ctx, 2 * MINUTE_MS), a.ctx.objects.shared!).round(NEVER);
  assert.deepEqual(server.keys(), [`recordings/${name}`]);
});
