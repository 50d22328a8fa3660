import assert from "node:assert/strict";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { JOURNAL } from "#app/context.ts";
import type { Uuid } from "#domain/values/id.ts";
import { deleteCampaign, pauseCampaign, resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import { editCampaign } from "#operations/campaigns/edit-campaign.ts";
import { recordConsent } from "#operations/compliance/record-consent.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import type { Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { raiseFence } from "#operations/restore/raise-fence.ts";
import type { JournalEntry } from "#ports/journal.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBackup, lift } from "#test/support/database/restore.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  withCarrier,
} from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const callerOf = ({ tenantId, ctx }: Sending) =>
  ({
    ...{ tenantId, accountId: tenantId, keyId: tenantId, organizations: undefined },
    ...({ mode: "test", scopes: [], newId: ctx.newId } as const),
  }) as const;

async function contactOf({ client }: Sending, contact: string): Promise<Uuid> {
  const { rows } = await client.query("select id from contacts where phone = $1", [contact]);
  return rows[0].id;
}

const says = (sending: Sending, from: string, text: string) =>
  receiveMessage(sending.ctx, sending.tenantId, {
    carrier: "simulator",
    carrierId: `${from} ${text}`,
    from,
    to: SENDER,
    text,
    sentAt: new Date(),
  });

async function consentOf(t: TestContext, url: string, of: string) {
  const client = await openClient(t, url);
  const { rows } = await client.query("select opted_out_at, bases from consents where phone = $1", [of]);
  return rows[0];
}

test("persons erased, consents revoked and campaigns paused or deleted since the backup stay so, and nothing of theirs is sent", async (t) => {
  const sending = await aSending(t, 3);
  const gone = await aCampaign(sending.api, { contacts: [{ phone_number: phone(7) }] });
  const held = await aCampaign(sending.api, { contacts: [{ phone_number: phone(8) }] });
  const back = await aCampaign(sending.api, { contacts: [{ phone_number: phone(9) }] });
  const express = { basis: "express", source: "form" } as const;
  for (const i of [1, 2]) await recordConsent(sending.ctx, callerOf(sending), phone(i), express);
  await pauseCampaign(sending.ctx, sending, back.campaignId);
  const backup = await aBackup(t, sending.api.config, sending.api.databaseUrl);

  await says(sending, phone(0), "STOP");
  await deleteContact(sending.ctx, sending, await contactOf(sending, phone(0)));
  await recordConsent(sending.ctx, callerOf(sending), phone(1), { basis: "none", source: "by telephone" });
  await deleteCampaign(sending.ctx, sending, gone.campaignId);
  await pauseCampaign(sending.ctx, sending, held.campaignId);
  await resumeCampaign(sending.ctx, sending, back.campaignId);

  const { url, ctx } = await backup();
  const account = await lift(ctx, sending.api.config);
  const { lifted, erased, revoked, campaigns, optOuts } = account;
  assert.deepEqual(
    { lifted, erased, revoked, campaigns, optOuts },
    { lifted: true, erased: 1, revoked: 1, campaigns: 3, optOuts: 1 },
  );
  const client = await openClient(t, url);
  const { rows } = await client.query("select status from campaigns where campaign_id = any($1) order by id", [
    [gone.campaignId, held.campaignId, back.campaignId],
  ]);
  assert.deepEqual(
    rows.map((row) => row.status),
    ["deleted", "paused", "active"],
  );
  assert.equal((await client.query("select from contacts where phone = $1", [phone(0)])).rowCount, 0);
  assert.equal(await consentOf(t, url, phone(0)), undefined, "no number of an erased person");
  assert.equal(
    (await client.query("select from erased_phones where opted_out_at is not null and erased_at > 'epoch'")).rowCount,
    1,
  );
  assert.equal((await consentOf(t, url, phone(1))).bases, null);
  assert.notEqual((await consentOf(t, url, phone(2))).bases, null);
  const carrier = aCarrier(accepted);
  await drain(withCarrier(ctx, carrier), sending.lane);
  assert.deepEqual(carrier.handed.map(({ to }) => to).sort(), [phone(1), phone(2), phone(9)]);
});

test("an edit is journaled when it is certain: one that is refused leaves nothing that a restore would obey", async (t) => {
  const sending = await aSending(t, 1);
  const written: unknown[] = [];
  const journal = { ...sending.ctx.journal, append: async (entry: JournalEntry) => void written.push(entry) };
  const ctx = { ...sending.ctx, journal } as Context;
  const named = { channel: "sms", campaignId: sending.campaignId } as const;
  const edit = (changes: Parameters<typeof editCampaign>[3]) => editCampaign(ctx, callerOf(sending), named, changes);
  await pauseCampaign(sending.ctx, sending, sending.campaignId);

  const past = new Date(Date.now() - 3_600_000).toISOString();
  await assert.rejects(edit({ campaign_end_time: past }), /must leave time/);
  await edit({ campaign_name: "Another name" });
  assert.deepEqual(written, []);
  await edit({ objective: "Find a day" });
  assert.deepEqual(
    written.map((entry) => (entry as { wish: string }).wish),
    ["edit"],
  );
});

test("a late opt-out of an erased person is kept as a hash", async (t) => {
  const sending = await aSending(t, 1);
  const said = new Date();
  await deleteContact(sending.ctx, sending, await contactOf(sending, phone(0)));
  const backup = await aBackup(t, sending.api.config, sending.api.databaseUrl);
  await sending.ctx.journal.append({ kind: "alive", at: said.toISOString(), nodeId: sending.ctx.node.id });
  const word = { at: said.toISOString(), tenantId: sending.tenantId, phone: phone(0) };
  await sending.ctx.journal.append({ ...word, kind: "opt_out", source: "journal" });
  const { url, ctx } = await backup();
  const account = await lift(ctx, sending.api.config);
  assert.deepEqual([account.lifted, account.optOuts], [true, 1]);
  assert.equal(await consentOf(t, url, phone(0)), undefined);
  const client = await openClient(t, url);
  const { rows } = await client.query("select opted_out_at from erased_phones where tenant_id = $1", [
    sending.tenantId,
  ]);
  assert.deepEqual(rows, [{ opted_out_at: said }]);
});

/** A restored database, fenced, with what the journal needs to have for a lift. */
async function aRestored(t: TestContext) {
  const sending = await aSending(t, 1);
  const nodeId = sending.ctx.newId();
  const alive = (at: Date) => sending.ctx.journal.append({ kind: "alive", at: at.toISOString(), nodeId });
  const hourAgo = new Date(Date.now() - 3_600_000);
  await sending.client.query("insert into nodes (id, lock_key, roles, started_at) values ($1, 1, '{worker}', $2)", [
    nodeId,
    hourAgo,
  ]);
  const backup = await aBackup(t, sending.api.config, sending.api.databaseUrl);
  return { sending, nodeId, alive, hourAgo, ...(await backup()) };
}

const isFenced = async (t: TestContext, url: string): Promise<boolean> => {
  const client = await openClient(t, url);
  const { rows } = await client.query("select fenced_at is not null as fenced from cluster");
  return rows[0].fenced;
};

test("the fence stays up while journals are missing, too short, of too few nodes or damaged, unless that is accepted", async (t) => {
  const { sending, nodeId, alive, hourAgo, ctx, url } = await aRestored(t);
  const { config } = sending.api;
  const missing = async () => {
    const account = await lift(ctx, config);
    assert.equal(account.lifted, false);
    assert.equal(await isFenced(t, url), true);
    return account.missing.join("; ");
  };
  assert.match(await missing(), /there is no entry.*the node .* ran at/);
  await alive(new Date(Date.now() + 600_000));
  assert.match(await missing(), /no journal reaches back to .*: the oldest entry is of .*the node/);
  const other = { kind: "alive", at: hourAgo.toISOString(), nodeId: sending.ctx.newId() } satisfies JournalEntry;
  await sending.ctx.journal.append(other);
  assert.match(await missing(), new RegExp(`^the node ${nodeId} ran at [^;]*$`));
  await alive(hourAgo);
  const folder = join(config.dataDir, JOURNAL);
  const file = join(folder, readdirSync(folder)[0]!);
  appendFileSync(file, '{"kind":"opt_o\n');
  await alive(new Date());
  assert.match(await missing(), /^.*line 4 cannot be read$/);
  assert.equal((await lift(ctx, config, { acceptMissing: true })).lifted, true);
  assert.equal(await isFenced(t, url), false);
  assert.deepEqual((await lift(ctx, config)).missing, [], "where no fence is up there is nothing to lift");
});

test("a fence that does not know to when the database was put back asks for it", async (t) => {
  const { sending, alive, hourAgo, ctx } = await aRestored(t);
  await alive(hourAgo);
  const { config } = sending.api;
  await lift(ctx, config);
  await raiseFence(ctx, { reason: "by hand", asOf: undefined });
  assert.match((await lift(ctx, config)).missing.join(), /it is not known to when/);
  assert.equal((await lift(ctx, config, { asOf: new Date() })).lifted, true);
  await raiseFence(ctx, { reason: "by hand", asOf: new Date(0) });
  assert.match((await lift(ctx, config)).missing.join(), /no journal reaches back to 1970/);
});

const aSend = (
  { sending, nodeId }: { sending: Sending; nodeId: Uuid },
  ctx: Context,
  campaignId: Uuid,
  sender = SENDER,
): JournalEntry => ({
  kind: "sends",
  at: new Date().toISOString(),
  tenantId: sending.tenantId,
  nodeId,
  carrier: "simulator",
  sender,
  texts: [{ ref: ctx.newId(), campaignId, messageId: ctx.newId(), phone: phone(5), purpose: "start" }],
});

test("what the database has never seen keeps the fence up, but for demo data that was removed; and what was taken off a list stays off", async (t) => {
  const restored = await aRestored(t);
  const { sending, alive, hourAgo, ctx } = restored;
  const { config } = sending.api;
  await alive(hourAgo);
  const [demo, newer] = [ctx.newId(), ctx.newId()];
  const now = new Date().toISOString();
  const { journal } = sending.ctx;
  const { tenantId } = sending;
  await journal.append(aSend(restored, ctx, demo));
  await journal.append({ kind: "demo_removed", at: now, tenantId, campaignIds: [demo], numbers: [] });
  const listed = { kind: "do_not_call", tenantId, organizationId: null } as const;
  const longAgo = new Date(Date.now() - 7_200_000).toISOString();
  await journal.append({ ...listed, at: longAgo, phones: [phone(1)] });
  await journal.append({ ...listed, at: now, phones: [phone(2)] });
  await journal.append(aSend(restored, ctx, newer));
  const account = await lift(ctx, config);
  assert.deepEqual([account.lifted, account.doNotCall], [false, 1]);
  assert.deepEqual(
    account.unknown.map(({ campaignId }) => campaignId),
    [newer],
  );
  assert.equal((await lift(ctx, config, { acceptUnknown: true })).lifted, true);
});
