import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type pg from "pg";
import { wire } from "#app/context.ts";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type client, type Parley, startParley } from "#test/support/api/parley.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio, type TwilioStandIn } from "#test/support/carriers/twilio/stand-in.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { phone } from "#test/support/messaging/sending.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** More than a doubt's settle time, a held lane's time, and what a vendor is left alone after failures. */
const A_WHILE_MS = 2 * 61_000;

/** A live campaign over an account at Twilio's stand-in, all by one clock that only the test moves. */
export type Live = {
  twilio: TwilioStandIn;
  api: Parley;
  /** With the tenant's live key. */
  owner: ReturnType<typeof client>;
  sql: pg.Client;
  ctx: Context;
  carrierId: string;
  campaignId: string;
  phones: string[];
  /** Another process, which may find the carrier at other addresses. */
  another(hosts?: Record<string, string>): Context;
  drain(ctx?: Context): Promise<void>;
  /** Time passes, doubts are looked into, and what is due leaves, until nothing waits any more. */
  settle(): Promise<void>;
  states(): Promise<Record<string, number>>;
  /** The campaign's status, and why it waits. */
  campaign(): Promise<[string, string | null]>;
  /** Each phone got its text once, and the records say so. */
  assertOnce(them?: readonly string[]): Promise<void>;
};

export async function liveCampaign(t: TestContext, contacts: number): Promise<Live> {
  const begun = workingNoon(new Date()).getTime();
  let aheadMs = 0;
  const now = () => new Date(begun + aheadMs);
  const twilio = await startTwilio(t, { now });
  twilio.addNumber(SENDER);
  const port = String(await aFreePort());
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url };
  const publicUrl = `http://127.0.0.1:${port}`;
  const env = { PORT: port, PARLEY_PUBLIC_URL: publicUrl, PARLEY_CARRIER_HOSTS: JSON.stringify(hosts) };
  const api = await startParley(t, env, ["api"]);
  const owner = await anotherTenant(api, "live");
  const sql = await openClient(t, api.databaseUrl);
  const tenantId = parseId("tenant", (await owner.get("/v1/me")).body.tenant_id) as Uuid;
  const another = (elsewhere: Record<string, string> = hosts): Context => {
    const { ctx, close } = wire({ ...api.config, carrierHosts: elsewhere }, api.databaseUrl, "test");
    t.after(close);
    return { ...ctx, now };
  };
  const ctx = another();
  const account = { kind: "twilio", credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN } };
  const made = await owner.post("/v1/carriers", { name: "Ours", ...account });
  const carrierId = String(made.body.carrier?.carrier_id);
  const connected = await owner.post(`/v1/carriers/${carrierId}/connect`, {});
  assert.equal(connected.status, 200, JSON.stringify(connected.body));
  const phones = Array.from({ length: contacts }, (_, i) => phone(i));
  const { campaignId } = await aCampaign(owner, { contacts: phones.map((phone_number) => ({ phone_number })) });
  await sql.query("update messages set due_at = $1 where due_at is not null", [now()]);

  const drain = async (by = ctx): Promise<void> => {
    // The bucket of a lane fills by the clock, which stands still here.
    await sql.query("update lanes set per_second = null");
    const { rows } = await sql.query("select id from lanes where tenant_id = $1", [tenantId]);
    for (const { id } of rows) await drainLane(by, { tenantId, laneId: id }, new AbortController().signal);
  };
  const states = async () => {
    const { rows } = await sql.query(
      "select state, count(*)::int as n from messages where direction = 'outbound' and kind = 'start' group by state",
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };
  const times = (to: string) => twilio.messages.filter((message) => message.to === to).length;
  return {
    ...{ twilio, api, owner, sql, ctx, carrierId, campaignId, phones, another, drain, states },
    async settle() {
      for (let round = 0; round < 10; round++) {
        aheadMs += A_WHILE_MS;
        await recoverAttempts(ctx, new AbortController().signal);
        await drain();
        const { scheduled = 0, sending = 0 } = await states();
        if (scheduled + sending === 0) return;
      }
      throw new Error(`never settled: ${JSON.stringify(await states())}`);
    },
    async campaign() {
      const { body } = await owner.get(`/v1/campaigns/${campaignId}`);
      return [body.campaign.status, body.campaign.waiting_because];
    },
    async assertOnce(them = phones) {
      assert.deepEqual(
        them.map((to) => [to, times(to)]),
        them.map((to) => [to, 1]),
      );
      await assertLedger(sql);
    },
  };
}

/** The process's accounts give up on a batch after so long. */
export function impatient(ctx: Context, answersWithinMs: number): Context {
  const { accounts } = ctx.carriers;
  const open: typeof accounts.open = async (...given) => {
    const opened = await accounts.open(...given);
    const { sms } = opened ?? {};
    return opened && sms
      ? { ...opened, sms: { ...sms, capabilities: { ...sms.capabilities, answersWithinMs } } }
      : opened;
  };
  return { ...ctx, carriers: { ...ctx.carriers, accounts: { ...accounts, open } } };
}
