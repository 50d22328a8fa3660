import type { TestContext } from "node:test";
import { telnyxDriver } from "#adapters/telnyx/driver.ts";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { OpenCarrier } from "#ports/carrier-account.ts";
import type { OutgoingText, SmsBatch } from "#ports/sms-carrier.ts";
import { addNumber, addProfile } from "./account.ts";
import { startTelnyx, type TelnyxServer } from "./server.ts";

export const NUMBER = "+12125550100";
export const TENANT = "01930000-0000-7000-8000-000000000001" as LiveTenantId;
/** Nobody listens there: what a test does not look at goes nowhere. */
export const PUBLIC_URL = "http://127.0.0.1:1";
export const CARRIER = "carrier_00000000000000000000000001";
export const URLS = { base: `${PUBLIC_URL}/carrier/${CARRIER}` };

/** A stand-in with one number on one profile that points here, and the account opened with our driver. */
export async function anAccount(t: TestContext, settings: Record<string, unknown> = {}) {
  const server = await startTelnyx();
  t.after(() => server.close());
  const profile = addProfile(server.account, { webhook_url: `${URLS.base}/sms` });
  addNumber(server.account, NUMBER, { messaging_profile_id: profile.id, messaging_campaign_id: "c-1" });
  const opened = open(server, settings);
  t.after(() => opened.close());
  return { server, opened, profile };
}

export function open(
  server: TelnyxServer,
  settings: Record<string, unknown> = {},
  publicUrl: string | null = PUBLIC_URL,
): OpenCarrier {
  const driver = telnyxDriver({ hosts: () => server.url, publicUrl: publicUrl ?? undefined, orderWithinMs: 2_000 });
  return driver.open({
    id: TENANT,
    tenantId: TENANT,
    carrier: CARRIER,
    kind: "telnyx",
    credentials: { api_key: server.apiKey, public_key: server.publicKey },
    settings,
    revision: 1,
  });
}

let refs = 0;
export const aRef = (): string => `01930000-0000-7000-8000-${String(++refs).padStart(12, "0")}`;

export const aText = (to: string, text = "Hello"): OutgoingText => ({
  ref: aRef(),
  to,
  text,
  purpose: "start",
  campaign: "spring",
  step: 0,
  zones: [],
  validUntil: null,
});

export const aBatch = (texts: readonly OutgoingText[], more: Partial<SmsBatch> = {}): SmsBatch => ({
  tenantId: TENANT,
  sender: NUMBER,
  now: new Date(),
  texts,
  mayLeave: () => true,
  ...more,
});
