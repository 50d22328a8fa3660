import assert from "node:assert/strict";
import { test } from "node:test";
import { withRecent } from "#app/process/recent-entries.ts";
import type { Uuid } from "#domain/values/id.ts";
import { fenceReason } from "#operations/restore/raise-fence.ts";
import { witness } from "#operations/restore/vouch.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import type { JournalEntry } from "#ports/journal.ts";
import { aSending, phone, type Sending } from "#test/support/messaging/sending.ts";

/** A database whose server is on another timeline as soon as the test says so, and processes that witness for what they did. */
async function aDatabase(t: Parameters<typeof aSending>[0], isSynchronous: boolean) {
  const sending = await aSending(t, 3);
  let timeline = 1;
  // The api of the test witnesses for itself, on the timeline that its server is really on.
  await sending.api.stopAll();
  await sending.client.query("delete from witnesses; update cluster set timeline = 1");
  const server = async () => ({ timeline, is_synchronous: isSynchronous });
  const process = (place: () => Uuid | undefined = () => undefined) => {
    const kept = withRecent({ append: async (_: JournalEntry) => {} });
    const processId = sending.ctx.newId();
    const parts = { processId, role: "worker", release: "0.1.0", recent: [kept.recent], place, server };
    return { ...kept, processId, ...witness(sending.ctx, parts) };
  };
  return {
    ...sending,
    process,
    takeOver() {
      timeline++;
    },
    known: async () => (await sending.client.query("select timeline from cluster")).rows[0].timeline as number,
    /** As after a moment that no stand-in got. */
    forget: (processId: Uuid) =>
      sending.client.query("update witnesses set step = step - 1 where process_id = $1", [processId]),
  };
}

const sends = ({ tenantId }: Sending, ref: Uuid): JournalEntry => ({
  ...{ kind: "sends", at: new Date().toISOString(), tenantId, nodeId: ref, carrier: "simulator", sender: phone(9) },
  texts: [{ ref, campaignId: ref, messageId: ref, phone: phone(0), purpose: "start" }],
});
const optOut = ({ tenantId }: Sending): JournalEntry => ({
  ...{ kind: "opt_out", at: new Date().toISOString(), tenantId, phone: phone(0), source: "journal" },
});

test("after another server has taken over nothing is claimed until every process that ran has found its own there", async (t) => {
  const database = await aDatabase(t, false);
  const [one, other] = [database.process(), database.process()];
  await one.step();
  await other.step();
  database.takeOver();
  await one.step();
  assert.equal(await database.known(), 1, "the other has not said yet that nothing is missing");
  await other.step();
  assert.equal(await database.known(), 2);
  assert.equal(await fenceReason(database.ctx), undefined);
  await one.step();
  await one.step();
  database.takeOver();
  await other.leave();
  await one.step();
  assert.equal(await database.known(), 2, "what left without a look at the other server is waited for");

  // The session's own, of a server that was never another.
  const { rows } = await database.client.query("select state from attempts");
  await drainLane(database.ctx, database.lane, new AbortController().signal);
  assert.deepEqual((await database.client.query("select state from attempts")).rows, rows, "nothing is claimed");
  await database.client.query("update cluster set timeline = 1");
  await drainLane(database.ctx, database.lane, new AbortController().signal);
  assert.equal((await database.client.query("select from attempts")).rowCount, 3);
});

test("a server that took over without the last commits of a process is fenced, also when others have all of theirs", async (t) => {
  const database = await aDatabase(t, true);
  const [one, other] = [database.process(), database.process()];
  await one.step();
  await other.step();
  await database.forget(other.processId);
  database.takeOver();
  await one.step();
  assert.equal(await fenceReason(database.ctx), undefined);
  await other.step();
  assert.match((await fenceReason(database.ctx)) ?? "", /took over without the last commits/);
  await one.step();
  assert.equal(await database.known(), 1);
});

test("a server that took over without a text that has left is fenced", async (t) => {
  const database = await aDatabase(t, false);
  const one = database.process();
  await one.step();
  await one.journal.append(sends(database, database.ctx.newId()));
  database.takeOver();
  await one.step();
  assert.match((await fenceReason(database.ctx)) ?? "", /without 1 texts or calls that may have left/);
});

test("a word that was journaled and not acknowledged is nothing that is missing where commits wait for a stand-in", async (t) => {
  for (const isSynchronous of [true, false]) {
    const database = await aDatabase(t, isSynchronous);
    const one = database.process();
    await one.step();
    await one.journal.append(optOut(database));
    database.takeOver();
    await one.step();
    if (isSynchronous) assert.equal(await fenceReason(database.ctx), undefined);
    else assert.match((await fenceReason(database.ctx)) ?? "", /without an opt-out/);
  }
});

test("what was journaled before a step that the server has is not asked for again", async (t) => {
  const database = await aDatabase(t, false);
  const one = database.process();
  await one.step();
  await one.journal.append(optOut(database));
  await one.step();
  database.takeOver();
  await one.step();
  assert.equal(await fenceReason(database.ctx), undefined);
  assert.equal(await database.known(), 2);
});

test("a process that may still hand over what it claimed on the former server says nothing yet", async (t) => {
  const database = await aDatabase(t, false);
  let place: Uuid | undefined = database.ctx.newId();
  const one = database.process(() => place);
  await one.step();
  database.takeOver();
  await one.step();
  assert.equal(await database.known(), 1);
  place = database.ctx.newId();
  await one.step();
  assert.equal(await database.known(), 2);
});
