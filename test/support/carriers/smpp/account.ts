import { type TenantHosts, tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { smppDriver } from "#adapters/smpp-sessions/driver.ts";
import type { LinkTimes } from "#adapters/smpp-sessions/link.ts";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { OpenCarrier } from "#ports/carrier-account.ts";
import type { InboundPart, ReceiptById, SessionEvents } from "#ports/carrier-session.ts";
import type {
  DeliveryReceipt,
  InboundText,
  OutgoingText,
  SendOutcome,
  SmsBatch,
  SmsCarrier,
} from "#ports/sms-carrier.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { until } from "#test/support/time/until.ts";

export const TENANT = "01900000-0000-7000-8000-000000000001" as LiveTenantId;
export const SENDER = "+13105550100";

/** What came over the session, in place of a database. `fails` makes the next commits fail. */
export type Kept = {
  receipts: DeliveryReceipt[];
  byId: ReceiptById[];
  inbound: InboundText[];
  parts: InboundPart[];
  fails: boolean;
  recent: string[];
};

export type SmppAccount = { open: OpenCarrier; sms: SmsCarrier; kept: Kept; warned: string[] };

/** Times in which a test can see what takes a gateway half a minute. */
const QUICK: LinkTimes = { connectMs: 2_000, answerMs: 1_000, enquireMs: 200 };

/** An account at a gateway on loopback, connected unless `isIdle`; it is closed with its owner. */
export async function smppAccount(
  owner: Owner,
  port: number,
  settings: Record<string, unknown> = {},
  options: { times?: LinkTimes; isIdle?: boolean; password?: string; hosts?: TenantHosts } = {},
): Promise<SmppAccount> {
  const kept: Kept = { receipts: [], byId: [], inbound: [], parts: [], fails: false, recent: [] };
  const keep = async (keepIt: () => void) => {
    if (kept.fails) throw new Error("the database is away");
    keepIt();
  };
  const events: SessionEvents = {
    receipts: (_, __, receipts) => keep(() => kept.receipts.push(...receipts)),
    receiptsById: (_, __, receipts) => keep(() => kept.byId.push(...receipts)),
    inbound: (_, text) => keep(() => kept.inbound.push(text)),
    part: (_, part) => keep(() => kept.parts.push(part)),
    recent: async () => kept.recent,
  };
  const warned: string[] = [];
  const driver = smppDriver({
    now: () => new Date(),
    random: () => 0,
    hosts: options.hosts ?? tenantHosts(["127.0.0.1"]),
    log: { warn: (facts, words) => warned.push(`${words} ${JSON.stringify(facts)}`) },
    times: options.times ?? QUICK,
  });
  const open = driver.open({
    id: "01900000-0000-7000-8000-000000000002" as Uuid,
    tenantId: TENANT,
    carrier: "car_1",
    kind: "smpp",
    credentials: { system_id: "parley", password: options.password ?? "secret" },
    settings: { host: "127.0.0.1", port, senders: [SENDER], per_second: 10_000, window: 100, ...settings },
    revision: 1,
  });
  owner.after(() => open.close());
  if (!options.isIdle) {
    open.session!.start(events);
    await until("the session is bound", async () => open.sms!.isHere!(), 5_000);
  }
  return { open, sms: open.sms!, kept, warned };
}

let made = 0;
export function aText(text = "Hello", to = "+13105550123"): OutgoingText {
  const ref = `01900000-0000-7000-9000-${(++made).toString(16).padStart(12, "0")}` as Uuid;
  return { ref, to, text, purpose: "start", campaign: "c1", step: 0, zones: [], validUntil: null };
}

export function send(
  { sms }: Pick<SmppAccount, "sms">,
  texts: readonly OutgoingText[],
  mayLeave: () => boolean = () => true,
  mark: NonNullable<SmsBatch["mark"]> = async (them) => new Set(them.map(({ ref }) => ref)),
): Promise<SendOutcome[]> {
  const batch = { tenantId: TENANT, sender: SENDER, now: new Date(), texts, mayLeave, mark };
  return sms.send(batch, AbortSignal.timeout(60_000));
}
