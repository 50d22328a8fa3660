import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fileJournal } from "#adapters/files/journal.ts";
import { readJournals } from "#adapters/files/read-journals.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import type { Context } from "#operations/context.ts";
import { recordOptOut } from "#operations/dialing/opt-outs.ts";
import { replayOptOuts } from "#operations/restore/replay-opt-outs.ts";
import type { SaidInCall } from "#store/compliance/call-opt-outs.ts";
import { aCalling, aLine, type Calling, drain, phone, states } from "#test/support/calls/calling.ts";
import { aFolder } from "#test/support/source/folder.ts";

/** Calls with these contacts, in each of which the contact wanted no more, and that process died before its database was back. */
async function heardAndDied(t: TestContext, contacts: number, writer = "media-1") {
  const calling = await aCalling(t, contacts);
  const folder = aFolder("journal");
  const line = aLine();
  await drain(calling.with(line), calling.lane);
  const journal = fileJournal({ folder, writer, days: 9, now: () => new Date(), isFenced: async () => false });
  const said = line.begun.map(
    ({ callId, contactPhone, now }): SaidInCall => ({ callId, phone: contactPhone, quote: "stop", at: new Date(now) }),
  );
  const { ctx, tenantId } = calling;
  // No answer reaches it any more.
  const died: Context = { ...ctx, journal, db: { ...ctx.db, transaction: () => new Promise(() => {}) } };
  for (const one of said) assert.equal(await recordOptOut(died, tenantId, one, 1), false);
  await journal.close();
  return { calling, said, replay: () => replayOptOuts(calling.ctx, readJournals([folder], "media")) };
}

const outs = async ({ client }: Calling) =>
  (await client.query("select phone, opt_out_source from consents where opted_out_at is not null order by phone")).rows;

test("opt-outs that a media process received before it died are written from its journal, each once", async (t) => {
  const { calling, replay } = await heardAndDied(t, 3);
  assert.deepEqual(await outs(calling), []);
  assert.equal(await replay(), 3);
  assert.deepEqual(
    await outs(calling),
    [0, 1, 2].map((i) => ({ phone: phone(i), opt_out_source: "call" })),
  );
  assert.deepEqual(await states(calling.client, "threads"), { opted_out: 3 });
  assert.equal(await replay(), 0);
  assert.equal((await calling.client.query("select from consent_records where event = 'revoked'")).rowCount, 3);
  assert.equal((await calling.client.query("select from events where kind = 'contact.opted_out'")).rowCount, 3);
});

test("a later consent that says so stands, a START does not; and a call that is gone is nobody's", async (t) => {
  const { calling, said, replay } = await heardAndDied(t, 3);
  const later = new Date(said[0]!.at.getTime() + 1);
  await calling.client.query(
    `insert into consent_records (tenant_id, phone, id, event, basis, channel, source, at, recorded_at)
     select tenant_id, phone, gen_random_uuid(), 'resubscribed', 'express', 'any', case phone when $2 then 'a form' else 'keyword' end, $1, $1
     from consents where phone = any($3)`,
    [later, phone(0), [phone(0), phone(1)]],
  );
  await calling.client.query("delete from call_details where call_id = $1", [said[2]!.callId]);
  await calling.client.query("delete from calls where id = $1", [said[2]!.callId]);
  assert.equal(await replay(), 1);
  assert.deepEqual(await outs(calling), [{ phone: phone(1), opt_out_source: "call" }]);
});

test("who was erased meanwhile is opted out as a hash", async (t) => {
  const { calling, replay } = await heardAndDied(t, 1);
  const { rows } = await calling.client.query("select id from contacts");
  await deleteContact(calling.ctx, { tenantId: calling.tenantId }, rows[0].id);
  await replay();
  assert.deepEqual(
    (await calling.client.query("select opt_out_source from erased_phones where erased_at > 'epoch'")).rows,
    [{ opt_out_source: "call" }],
  );
  assert.equal((await calling.client.query("select from consents")).rowCount, 0);
});

test("journals of other roles are left alone", async (t) => {
  const { calling, replay } = await heardAndDied(t, 1, "worker-1");
  assert.equal(await replay(), 0);
  assert.deepEqual(await outs(calling), []);
});
