import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { wire } from "#app/context.ts";
import { createKey, createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { client } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { receiptOf, smppGateway, textOf } from "#test/support/carriers/smpp/gateway.ts";
import { addNumber, addProfile } from "#test/support/carriers/telnyx/account.ts";
import { startTelnyx } from "#test/support/carriers/telnyx/server.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { COMMON_ENV, type Owner } from "#test/support/processes/processes.ts";
import type { World } from "./world.ts";

/** What a phone got, and when. */
export type Got = { to: string; text: string; at: number };

/** A carrier's side of an account, with phones behind it. It reports every text that it took as delivered. */
export type FarSide = {
  kind: "twilio" | "telnyx" | "smpp";
  sender: string;
  credentials: Record<string, string>;
  settings: Record<string, unknown>;
  hosts: Record<string, string>;
  /** A text whose answer was lost can be asked for: then none stays unknown. */
  canBeAsked: boolean;
  /** Cuts the connection once it has taken a text to one of these, without an answer. */
  lose(phones: readonly string[]): void;
  got(): readonly Got[];
  /** A text from a phone. Resolves once the service has acknowledged it; rejects when it did not. */
  say(from: string, text: string): Promise<void>;
};

type Start = (owner: Owner, now: () => Date) => Promise<FarSide>;

/** Toll-free: local numbers would have to be registered first, which is another story. */
const TOLL_FREE = "+18005550100";

const REPORT_AFTER_MS = 100;
/** One that was not acknowledged, or found nobody, comes again. */
const REPORT_AGAIN_MS = 1_000;
/** What a session took with it when it ended has no answer. A STOP has one after six seconds where nobody knows what became of a text to that phone. */
const UNANSWERED_MS = 10_000;

const acknowledged = (status: number): void => {
  if (status < 200 || status > 299) throw new Error(`answered ${status}`);
};

export const twilio: Start = async (owner, now) => {
  const got: Got[] = [];
  let isOver = false;
  owner.after(() => {
    isOver = true;
  });
  const standIn = await startTwilio(owner, {
    now,
    taken(message) {
      got.push({ to: message.to, text: message.body, at: Date.now() });
      const report = (): void => {
        const again = () => isOver || setTimeout(report, REPORT_AGAIN_MS);
        standIn.report(message, "delivered").then(({ ok }) => ok || again(), again);
      };
      setTimeout(report, REPORT_AFTER_MS);
    },
  });
  const number = standIn.addNumber(SENDER);
  let said = 0;
  return {
    ...{ kind: "twilio", sender: SENDER, settings: {}, canBeAsked: true, got: () => got },
    credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
    hosts: { "api.twilio.com": standIn.url, "messaging.twilio.com": standIn.url },
    lose: (phones) => {
      for (const phone of phones) standIn.behave(phone, "reset_after", "queued");
    },
    async say(from, text) {
      // Digits before the padding, since 241 and 1 would both end in ...ff1: an id that comes again is no new text.
      const sid = `SM${(++said).toString(16).padStart(8, "0").padStart(32, "f")}`;
      const fields = { From: from, To: SENDER, Body: text, MessageSid: sid, SmsSid: sid, NumMedia: "0" };
      const more = { AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", NumSegments: "1" };
      acknowledged((await standIn.webhook(String(number.sms_url), { ...fields, ...more })).status);
    },
  };
};

export const telnyx: Start = async (owner) => {
  const server = await startTelnyx();
  owner.after(() => server.close());
  addNumber(server.account, TOLL_FREE, { messaging_profile_id: addProfile(server.account).id });
  const well = { reports: [{ status: "delivered" }] };
  server.behave("any", well);
  return {
    ...{ kind: "telnyx", sender: TOLL_FREE, settings: {}, canBeAsked: false },
    credentials: { api_key: server.apiKey, public_key: server.publicKey },
    hosts: { "api.telnyx.com": server.url },
    lose: (phones) => {
      for (const phone of phones) server.behave(phone, { ...well, create: { kind: "lose", how: "reset" } }, well);
    },
    got: () => server.taken.map(({ params, at }) => ({ to: params.to, text: params.text ?? "", at: at.getTime() })),
    async say(from, text) {
      acknowledged(await server.receive({ from, to: TOLL_FREE, text }));
    },
  };
};

export const smpp: Start = async (owner) => {
  let isOver = false;
  owner.after(() => {
    isOver = true;
  });
  const lost = new Set<string>();
  const gateway = await smppGateway(owner, {
    answerAfterMs: 20,
    reset: (_, { to }) => lost.delete(`+${to}`),
  });
  const deliver = (fields: Record<string, unknown>): Promise<number | undefined> =>
    Promise.race([gateway.deliver(fields), pause(UNANSWERED_MS, undefined, { ref: false })]);
  // With receipts also of what it took and did not answer.
  gateway.script.status = (_, text) => {
    const receipt = receiptOf(text, { state: "DELIVRD", tlvs: true });
    const report = (): void => {
      const again = () => isOver || setTimeout(report, REPORT_AGAIN_MS);
      deliver(receipt).then((status) => status === 0 || again(), again);
    };
    setTimeout(report, REPORT_AFTER_MS);
    return 0;
  };
  return {
    ...{ kind: "smpp", sender: SENDER, hosts: {}, canBeAsked: false },
    credentials: { system_id: "parley", password: "secret" },
    settings: { host: "127.0.0.1", port: gateway.port, per_second: 1_000, window: 50, senders: [SENDER] },
    lose: (phones) => {
      for (const phone of phones) lost.add(phone);
    },
    got: () =>
      gateway.submitted.map((text) => ({
        ...{ to: `+${text.to}`, text: textOf(text) },
        at: performance.timeOrigin + text.at,
      })),
    async say(from, text) {
      const addresses = { source_addr: from.slice(1), source_addr_ton: 1, destination_addr: SENDER.slice(1) };
      const status = await deliver({ ...addresses, dest_addr_ton: 1, short_message: text });
      if (status !== 0) throw new Error(`answered ${status ?? "nothing"}`);
    },
  };
};

/** An account of a new live tenant, whose clock is ahead, at a carrier's side; a client with the tenant's live key. */
export async function connected(
  world: World,
  far: FarSide,
  offsetMs: number,
  url: string,
): Promise<ReturnType<typeof client>> {
  const config = readConfig({ ...COMMON_ENV, DATABASE_URL: world.databaseUrl, PARLEY_DATA_DIR: world.dataDir });
  const { ctx, close } = wire(config, world.databaseUrl, "harness");
  const key = await createKey(ctx, await createTenant(ctx, "Live", "live"), "live", "All").finally(close);
  const live = client(url, key);
  await world.sql("update tenants set clock_offset_ms = $1 where mode = 'live'", [offsetMs]);
  const { kind, credentials, settings } = far;
  const made = await live.post("/v1/carriers", { name: "Ours", kind, credentials, settings });
  const answer = await live.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {});
  assert.equal(answer.body.carrier?.status, "connected", JSON.stringify(answer.body));
  return live;
}
