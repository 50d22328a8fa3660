import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveOrganization, restoreOrganization } from "#operations/accounts/archive-organization.ts";
import { resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import type { Context } from "#operations/context.ts";
import type { SendOutcome } from "#ports/sms-carrier.ts";
import { until } from "#test/support/api/parley.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aCarrier, accepted, aSending, drain, type Sending, withCarrier } from "#test/support/messaging/sending.ts";

const DAY_MS = 86_400_000;

const caller = (sending: Sending) => ({
  tenantId: sending.tenantId,
  accountId: sending.tenantId,
  keyId: sending.tenantId,
  mode: "test" as const,
  scopes: [],
  organizations: undefined,
  newId: sending.ctx.newId,
});

const organizationOf = async ({ client }: Sending): Promise<string> =>
  (await client.query("select organization_id as id from campaigns")).rows[0].id;

const isArchived = async ({ client }: Sending) =>
  (await client.query("select from organizations where archived_at is not null")).rowCount === 1;

test("archiving is answered once what was on its way has left, is journaled with its pauses, and nothing leaves after it", async (t) => {
  const sending = await aSending(t, 1, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  const organizationId = await organizationOf(sending);
  let answer: (outcome: SendOutcome) => void = () => {};
  const slow = aCarrier(() => new Promise((resolve) => (answer = resolve)));
  const drained = drain(withCarrier(sending.ctx, slow), sending.lane);
  await until("a text is with the carrier", async () => slow.handed.length === 1);
  const other = sending.another();
  const written: unknown[] = [];
  const journal = { ...other.journal, append: async (entry: unknown) => void written.push(entry) };
  let isAnswered = false;
  const ctx = { ...other, journal } as Context;
  const archived = archiveOrganization(ctx, caller(sending), organizationId).then(() => (isAnswered = true));
  await until("it is committed", () => isArchived(sending));
  assert.equal(isAnswered, false);
  answer({ outcome: "accepted", carrierId: "c_1" });
  await Promise.all([archived, drained]);

  assert.deepEqual(
    written.map((entry) => (entry as { wish: string }).wish),
    ["archive", "pause"],
  );
  const after = aCarrier(accepted);
  await drain(withCarrier(sending.ctx, after, DAY_MS + 10_000), sending.lane);
  assert.deepEqual(after.handed, []);
  await assert.rejects(resumeCampaign(sending.ctx, caller(sending), sending.campaignId), /archived: restore it first/);

  await restoreOrganization(sending.ctx, caller(sending), organizationId);
  await drain(withCarrier(sending.ctx, after, DAY_MS + 20_000), sending.lane);
  assert.deepEqual(after.handed, [], "the campaign stays paused");
  await resumeCampaign(sending.ctx, caller(sending), sending.campaignId);
  await drain(withCarrier(sending.ctx, after, DAY_MS + 30_000), sending.lane);
  assert.deepEqual(
    after.handed.map(({ purpose }) => purpose),
    ["drip"],
  );
  await assertLedger(sending.client);
});
