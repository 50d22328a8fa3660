import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { TestContext } from "node:test";
import type pg from "pg";
import { wire } from "#app/context.ts";
import { liveTenant } from "#domain/accounts/modes.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import { parseId } from "#domain/values/id.ts";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import type { Caller, Context } from "#operations/context.ts";
import { connectCarrier } from "#operations/numbers/connect-carrier.ts";
import { createCarrier } from "#operations/numbers/create-carrier.ts";
import { openCarriers } from "#operations/numbers/open-carriers.ts";
import {
  type CarrierAccount,
  type CarrierDriver,
  CarrierProblem,
  type WebhookRequest,
} from "#ports/carrier-account.ts";
import type { OutgoingText, SendOutcome, SmsCarrier } from "#ports/sms-carrier.ts";
import type { SealedPlace, SealingKeys } from "#store/system/sealing.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type client, type Parley, startParley } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** The vendor of the tests: takes one token, and keeps what it was handed. */
export type Vendor = {
  /** The token that it takes. */
  token: string;
  numbers: string[];
  /** What its check of the account finds. */
  trouble?: string | null;
  /** It says with that that the account is suspended. */
  isSuspended?: boolean;
  /** Every text that it took, with the token that it came with. */
  taken: { text: OutgoingText; token: string }[];
  opened: CarrierAccount[];
  closed: number;
};

export const aVendor = (): Vendor => ({ token: "right", numbers: [SENDER], taken: [], opened: [], closed: 0 });

/** Its driver, in the place of Twilio's: a webhook is signed where its header has the account's token. */
export function driverOf(vendor: Vendor): CarrierDriver {
  const sms = ({ carrier, credentials }: CarrierAccount): SmsCarrier => ({
    name: carrier,
    capabilities: {
      lookupByRef: false,
      callbackCarriesRef: true,
      settleMs: 2_000,
      callbackWithinMs: 600_000,
      defaultRatePerSecond: undefined,
      largestBatch: 2,
    },
    mayUseSender: async () => true,
    send: async ({ texts }) =>
      texts.map((text): SendOutcome => {
        const token = credentials.auth_token!;
        if (token !== vendor.token) return { outcome: "barred", because: "carrier_key_refused", code: "20003" };
        vendor.taken.push({ text, token });
        return { outcome: "accepted", carrierId: `SM${text.ref}` };
      }),
    lookUp: async () => new Map(),
  });
  return {
    kind: "twilio",
    identity: ["credentials.account_sid"],
    places: ["settings.region", "settings.edge"],
    problems: () => [],
    open(account) {
      vendor.opened.push(account);
      const isRight = () => account.credentials.auth_token === vendor.token;
      return {
        sms: sms(account),
        async numbers() {
          if (!isRight()) throw new CarrierProblem("The token is refused", { code: "20003", account: "refused" });
          const capabilities = { sms: true, mms: false, voice: true };
          return vendor.numbers.map((phone) => ({ phone, capabilities, carrierId: null }));
        },
        preview: async () => ({ changes: [], missing: [] }),
        apply: async () => ({ changes: [], missing: [] }),
        check: async () => [
          {
            ...{ name: "credentials", ok: isRight(), problem: isRight() ? null : "The token is refused", remedy: null },
            ...(isRight() ? {} : { account: "refused" as const }),
          },
          {
            ...{ name: "account", ok: !vendor.trouble, problem: vendor.trouble ?? null, remedy: null },
            ...(vendor.isSuspended ? { account: "suspended" as const } : {}),
          },
        ],
        readWebhook: ({ headers, body }: WebhookRequest) =>
          headers["x-token"] === account.credentials.auth_token
            ? {
                receipts: [],
                inbound: [],
                answer: { status: 200, type: "text/plain", body: Buffer.from(body).toString() },
              }
            : undefined,
        close: async () => void vendor.closed++,
      };
    },
  };
}

/** Readable, so that a test sees under what something was sealed. */
const under = ({ table, tenantId, row, column }: SealedPlace): string => [table, tenantId, row, column].join("|");

const READABLE: SealingKeys = {
  first: "readable",
  signer: () => generateKeyPairSync("ed25519").privateKey,
  ids: () => ["readable"],
  seal: (_, text, place) => `${under(place)}=${text}`,
  open(sealed, place) {
    assert.ok(sealed.startsWith(`${under(place)}=`));
    return sealed.slice(under(place).length + 1);
  },
};

export type LiveAccount = {
  api: Parley;
  /** With the keys of the live tenant. */
  live: ReturnType<typeof client>;
  ctx: Context;
  caller: Caller;
  client: pg.Client;
  vendor: Vendor;
  account: CarrierRecord;
};

export const CREDENTIALS = { account_sid: `AC${"0".repeat(32)}`, auth_token: "right" };
export const signal = (): AbortSignal => AbortSignal.timeout(60_000);

/** A tenant in live mode with a connected account of a vendor, at noon of a working day. */
export async function aLiveAccount(t: TestContext): Promise<LiveAccount> {
  const api = await startParley(t, {}, ["api"]);
  const live = await anotherTenant(api, "live");
  const tenantId = parseId("tenant", (await live.get("/v1/me")).body.tenant_id)!;
  const { ctx: wired, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const vendor = aVendor();
  const driver = driverOf(vendor);
  const drivers = { twilio: driver, telnyx: driver, smpp: driver, sip: driver };
  const accounts = openCarriers({ drivers, keys: READABLE, log: wired.log });
  const noon = new Date(Date.UTC(2026, 0, 7, 18));
  const ctx: Context = { ...wired, now: () => noon, carriers: { ...wired.carriers, accounts } };
  const caller: Caller = {
    ...{ tenantId: liveTenant({ tenantId, mode: "live" })!, accountId: tenantId, keyId: tenantId },
    ...({ mode: "live", scopes: ["admin"], organizations: undefined, newId: ctx.newId } as const),
  };
  const given = { kind: "twilio", name: "Main", organizationId: null, credentials: CREDENTIALS, settings: {} } as const;
  const made = await createCarrier(ctx, caller, given);
  const { account } = await connectCarrier(ctx, caller, made.id, { replace: false, dryRun: false }, signal());
  return { api, live, ctx, caller, client: await openClient(t, api.databaseUrl), vendor, account };
}

/** A campaign by the account's number, and its lane. */
export async function aLiveCampaign({ live, ctx, caller }: LiveAccount, contacts: number) {
  const { organizationId, userId, agentId } = await anAgent(live);
  const body = {
    ...{ campaign_name: "Live", organization_id: organizationId, user_id: userId, sms_agent_id: agentId },
    svc_sms_number: SENDER,
    contacts: Array.from({ length: contacts }, (_, i) => ({ phone_number: `+1212444${String(i).padStart(4, "0")}` })),
  };
  const made = await createCampaign(ctx, caller, {}, Buffer.from(JSON.stringify(body)));
  return made.campaign_id as string;
}
