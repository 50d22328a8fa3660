import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import {
  doNotCallCheck,
  fine,
  firstHourCheck,
  type LiveCheck,
  onlySimulated,
  optOutCheck,
  quietHoursCheck,
  spendCheck,
  wrong,
} from "#domain/sending/live-check.ts";
import { spendDay } from "#domain/sending/spend-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { LAST_ID } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { CarrierCheck, OpenCarrier } from "#ports/carrier-account.ts";
import * as agents from "#store/agents/agents.ts";
import * as nationalLists from "#store/compliance/national-lists.ts";
import * as screening from "#store/compliance/screening.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";

/** Longer nobody waits for one check: a carrier that is slow is reported, and holds up no other. */
const EACH_WITHIN_MS = 8_000;
/** A tenant has a few accounts, some dozens of agents; what is beyond is not looked at. */
const MOST_ACCOUNTS = 20;
const MOST_AGENTS = 500;
/** Sellers have to use a national list of the last 31 days (docs/consent.md). */
const LIST_GOOD_FOR_MS = 31 * 86_400_000;
/** Sixteen bytes in hexadecimal: what a round trip takes along. */
export const NONCE = /^[0-9a-f]{32}$/;
/** Where `reachable` looks for this service, below what carriers post to, so that a proxy that lets only that through passes it too. */
export const REACHED_AT = "/carrier/reachable";

/** What answers at `REACHED_AT`, which only a node with this service's secret key can know. */
export const reachedAnswer = ({ signLink }: Pick<Context, "signLink">, nonce: string): string =>
  signLink(`reachable ${nonce}`).toString("hex");

/**
 * What has to be right before real phones are reached, each with what to do. Nothing is changed. Checks run beside each other, each for a bounded time,
 * and none fails the others: what cannot be found out is a problem of its own.
 */
export async function checkLive(ctx: Context, caller: Pick<Caller, "tenantId" | "mode">): Promise<LiveCheck[]> {
  const tenantId = liveTenant(caller);
  if (tenantId === undefined) return [onlySimulated()];
  const all = await Promise.all([
    bounded(ctx, "public_address", async () => [publicAddress(ctx)]),
    outside(ctx, tenantId),
    bounded(ctx, "sending", async () => await sending(ctx, tenantId)),
    bounded(ctx, "opt_out_text", async () => [
      optOutCheck(await agents.startingMessages(ctx.db, tenantId, MOST_AGENTS)),
    ]),
    [quietHoursCheck(ctx.profile, ctx.clockMovesLive), firstHourCheck(ctx.firstHourTexts)],
    bounded(ctx, "do_not_call", async () => [await doNotCall(ctx, tenantId)]),
  ]);
  return all.flat();
}

/** What is asked over the network, once for all who want to know at the same time: a reader in a loop is no load for carriers. */
async function outside(ctx: Context, tenantId: LiveTenantId): Promise<LiveCheck[]> {
  const { liveChecks } = ctx.process;
  const asked = liveChecks.get(tenantId);
  if (asked) return asked;
  const asking = Promise.all([
    bounded(ctx, "reachable", async (signal) => [await reachable(ctx, signal)]),
    carriers(ctx, tenantId),
  ]).then((all) => all.flat());
  liveChecks.set(tenantId, asking);
  try {
    return await asking;
  } finally {
    liveChecks.delete(tenantId);
  }
}

/** A check that takes too long, or breaks, is one that failed: it says so, and is in the log. */
async function bounded(
  ctx: Context,
  name: string,
  work: (signal: AbortSignal) => Promise<LiveCheck[]>,
  carrier: LiveCheck["carrier"] = null,
): Promise<LiveCheck[]> {
  const late = Promise.withResolvers<LiveCheck[]>();
  const problem = `${carrier?.name ?? "This check"} did not answer within ${EACH_WITHIN_MS / 1000} seconds.`;
  const timer = setTimeout(
    () => late.resolve([wrong(name, problem, "Try again in a minute.", carrier)]),
    EACH_WITHIN_MS,
  );
  try {
    return await Promise.race([work(AbortSignal.timeout(EACH_WITHIN_MS)), late.promise]);
  } catch (err) {
    ctx.log.warn({ err, check: name }, "a check before going live could not be made");
    return [wrong(name, "The check could not be made.", "Try again in a minute; the service's log says why.", carrier)];
  } finally {
    clearTimeout(timer);
  }
}

function publicAddress({ publicUrl, publicAddress: address }: Context): LiveCheck {
  const name = "public_address";
  if (publicUrl === undefined) {
    return wrong(
      name,
      "No carrier knows where this service is: no receipt and no reply comes in, and no STOP.",
      "Set PARLEY_PUBLIC_URL to the https address at which the internet reaches this service.",
    );
  }
  const problem = address.problem(publicUrl);
  return problem === undefined
    ? fine(name, publicUrl)
    : wrong(name, `${publicUrl}: ${problem}.`, "Set PARLEY_PUBLIC_URL to an https address that the internet reaches.");
}

/** A real round trip: this service asks itself by its public address, and only it knows the answer. */
async function reachable(ctx: Context, signal: AbortSignal): Promise<LiveCheck> {
  const name = "reachable";
  const { publicUrl } = ctx;
  if (publicUrl === undefined) return wrong(name, "There is no public address to try.", "Set PARLEY_PUBLIC_URL.");
  const nonce = ctx.signLink(`nonce ${ctx.newId()}`).toString("hex").slice(0, 32);
  const url = `${publicUrl.replace(/\/$/, "")}${REACHED_AT}/${nonce}`;
  const answer = await ctx.publicAddress.post(url, signal);
  if ("failure" in answer) {
    return wrong(
      name,
      `Nothing answered at ${publicUrl} (${answer.failure}).`,
      "Look at DNS, the certificate, the firewall and the proxy in front of this service. Where this machine cannot reach its own public address, try it from elsewhere.",
    );
  }
  if (answer.status === 200 && answer.text.trim() === reachedAnswer(ctx, nonce))
    return fine(name, `A request to ${publicUrl} came back to this service.`);
  return wrong(
    name,
    `What answered at ${publicUrl} was not this service (status ${answer.status}).`,
    "Have the proxy pass /carrier/ to this service without redirects, also for POST; every node needs the same PARLEY_SECRET_KEY.",
  );
}

async function carriers(ctx: Context, tenantId: LiveTenantId): Promise<LiveCheck[]> {
  let accounts: CarrierRecord[] = [];
  const first = await bounded(ctx, "carrier", async () => {
    accounts = await carrierAccounts.list(ctx.db, tenantId, { before: LAST_ID, limit: MOST_ACCOUNTS });
    const checks = accounts.map((account) => ofAccount(account, ctx.now()));
    if (accounts.some(({ status }) => status !== "new")) return checks;
    const lines = ctx.lines.names("live");
    const missing = wrong("carrier", "No carrier is connected: no text reaches a phone.", CONNECT);
    return lines.length === 0
      ? [missing, ...checks]
      : [fine("carrier", `Calls leave by this service's own trunks; texts have no carrier yet.`), ...checks];
  });
  // How a lent account is at the carrier is for who lends it.
  const used = accounts.filter(({ status, lent_from }) => status !== "new" && lent_from === null);
  const asked = await Promise.all(used.slice(0, MOST_ACCOUNTS).map((account) => ofCarrier(ctx, tenantId, account)));
  return [...first, ...asked.flat()];
}

const CONNECT = "Connect an account on the page Carriers of the console, or by POST /v1/carriers.";
const of = ({ carrier, name }: CarrierRecord): LiveCheck["carrier"] => ({ id: carrier, name });

function ofAccount(account: CarrierRecord, now: Date): LiveCheck {
  const { status, problem, name, last_checked_at: at, numbers_count: numbers } = account;
  if (status === "connected") {
    const count = numbers === 1 ? "1 number" : `${numbers} numbers`;
    const checked = at === null ? "never checked" : `last checked ${ago(now.getTime() - at.getTime())}`;
    return fine("carrier", `${name} is connected: ${count}, ${checked}.`, of(account));
  }
  if (status === "new") return wrong("carrier", `${name} is not connected yet.`, CONNECT, of(account));
  const why = problem === null ? "." : `: ${problem}`;
  return status === "suspended"
    ? wrong("carrier", `${name} is suspended${why}`, "See the carrier's own console.", of(account))
    : wrong("carrier", `${name} has a problem${why}`, "Change its credentials, or check it again.", of(account));
}

const MINUTE_MS = 60_000;

function ago(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 2) return "a moment ago";
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}

/** As the carrier itself has it: its webhooks, numbers and registrations. */
function ofCarrier(ctx: Context, tenantId: LiveTenantId, account: CarrierRecord): Promise<LiveCheck[]> {
  const ask = async (signal: AbortSignal) => {
    const { carrier, revision } = account;
    const opened = await ctx.carriers.accounts.open(tenantId, carrier, { tx: ctx.db, revision });
    if (!opened) return [];
    const base = ctx.publicUrl === undefined ? undefined : `${ctx.publicUrl}/carrier/${carrier}`;
    const checks = await (opened as OpenCarrier).check({ base }, {}, signal);
    return checks.filter(({ name }) => !SAID_ALREADY.has(nameOf(name))).map((check) => asLive(check, account));
  };
  return bounded(ctx, "carrier_check", ask, of(account));
}

/** The service's own address is a check of its own. */
const SAID_ALREADY = new Set(["public_address"]);
const nameOf = (name: string): string => name.toLowerCase().replaceAll(" ", "_");

const asLive = ({ name, ok, problem, remedy }: CarrierCheck, account: CarrierRecord): LiveCheck =>
  ok
    ? fine(nameOf(name), null, of(account))
    : wrong(nameOf(name), problem ?? "The carrier's check failed.", remedy, of(account));

async function sending(ctx: Context, tenantId: Uuid): Promise<LiveCheck[]> {
  const { clockOffsetMs, stop, spending } = await stops.read(ctx.db, tenantId);
  const { limit, zone } = spending;
  const day = spendDay(zone, new Date(ctx.now().getTime() + clockOffsetMs));
  const spent = await spend.read(ctx.db, tenantId, day.date);
  const on = stop
    ? wrong(
        "sending",
        "All sending and calling is stopped.",
        "Resume it: POST /v1/sending/resume, or on each page of the console.",
      )
    : fine("sending", "Texts leave and calls are placed; all of it is stopped by one button on each page.");
  return [on, spendCheck({ limit, zone, spent })];
}

async function doNotCall(ctx: Context, tenantId: Uuid): Promise<LiveCheck> {
  const [rules, areas] = await Promise.all([screening.rules(ctx.db, tenantId), nationalLists.areas(ctx.db, tenantId)]);
  const now = ctx.now();
  const isOldAllowed = rules.old_lists_until !== null && now < rules.old_lists_until;
  const oldest = isOldAllowed ? "" : new Date(now.getTime() - LIST_GOOD_FOR_MS).toISOString().slice(0, 10);
  return doNotCallCheck(areas, { requiresConsent: rules.require_consent !== "none", oldestDay: oldest });
}
