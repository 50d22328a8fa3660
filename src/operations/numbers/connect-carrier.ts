import { type LiveTenantId, requireLive } from "#domain/accounts/modes.ts";
import type { CarrierRecord, CarrierStatus } from "#domain/numbers/carrier-account.ts";
import { areaCodeOf, requirePhone } from "#domain/numbers/phone-number.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { differing, refuseLent } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import {
  type CarrierCheck,
  type CarrierNumber,
  CarrierProblem,
  type CarrierUrls,
  type OpenCarrier,
  type SetUpChange,
} from "#ports/carrier-account.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";
import * as trunkNumbers from "#store/numbers/trunk-numbers.ts";
import * as heldConsents from "#store/sending/held-consents.ts";
import * as stops from "#store/sending/stops.ts";

/** Reading a thousand numbers and setting their webhooks takes a carrier some seconds. */
const CONNECT_WITHIN_MS = 60_000;
/** A check may place a call and wait for its end. */
const CHECK_WITHIN_MS = 60_000;
/** The check of a driver that is about the account's keys. */
const CREDENTIALS = "credentials";
/** What the account is while the carrier says this of it. */
const STATUS_OF = { refused: "problem", suspended: "suspended" } as const;

export type Connected = { account: CarrierRecord; numbers: CarrierNumber[]; changes: SetUpChange[]; missing: string[] };

/**
 * Has an account's texts and calls come here, and takes over its numbers with what each can do. Safe to repeat. With `dryRun` it changes nothing,
 * here or there. Fails with `carrier_problem`, and the carrier's reason, where the carrier refuses.
 */
export async function connectCarrier(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  { replace, dryRun }: { replace: boolean; dryRun: boolean },
  signal: AbortSignal,
): Promise<Connected> {
  const { tenantId, account, opened, urls } = await openOwn(ctx, caller, id);
  const within = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_WITHIN_MS)]);
  try {
    const readAt = ctx.now();
    const numbers = await opened.numbers(within);
    const setUp = dryRun ? await opened.preview(urls, within) : await opened.apply(urls, { replace }, within);
    const elsewhere = dryRun ? [] : await takeNumbers(ctx, tenantId, account.id, { numbers, readAt });
    // What has a session needs no address of ours.
    const missing = [...(opened.session ? [] : withoutUrl(ctx)), ...setUp.missing, ...elsewhere];
    const after = (await carrierAccounts.find(ctx.db, tenantId, id)) ?? account;
    return { account: after, numbers, changes: setUp.changes, missing: [...new Set(missing)] };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    if (problem.account) {
      const status = STATUS_OF[problem.account];
      const now = { ...problem, status, at: ctx.now() };
      await ctx.db.transaction((tx) => carrierAccounts.checked(tx, tenantId, id, now));
    }
    throw failure("carrier_problem", problem.problem);
  }
}

/** Checks an account, and keeps what is wrong. Never fails for what the carrier does. It calls nobody who must not be called, and nobody while all is stopped. */
export async function checkCarrier(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  to: string | undefined,
  signal: AbortSignal,
): Promise<{ account: CarrierRecord; checks: CarrierCheck[] }> {
  const phone = to === undefined ? undefined : requirePhone("to", to);
  const { tenantId, account, opened, urls } = await openOwn(ctx, caller, id);
  if (phone !== undefined) await refuseUncallable(ctx, account, tenantId, phone);
  const within = AbortSignal.any([signal, AbortSignal.timeout(CHECK_WITHIN_MS)]);
  const checks = await opened.check(urls, phone === undefined ? {} : { to: phone }, within);
  const now = { ...found(account, await hasNumbers(ctx, account), checks), at: ctx.now() };
  await ctx.db.transaction((tx) => carrierAccounts.checked(tx, tenantId, id, now));
  return { account: (await carrierAccounts.find(ctx.db, tenantId, id)) ?? account, checks };
}

async function refuseUncallable(
  ctx: Context,
  { organization_id }: CarrierRecord,
  tenantId: LiveTenantId,
  phone: string,
): Promise<void> {
  await stops.refuse(ctx.db, tenantId);
  const consent = await heldConsents.find(ctx.db, tenantId, phone, ctx.hashPhone);
  if (consent && (consent.opted_out_at ?? consent.doubted_at) !== null) throw invalidField("to", "has opted out");
  if (await doNotCall.isListed(ctx.db, tenantId, phone, organization_id))
    throw invalidField("to", "is on the do-not-call list");
}

/** Replaces an account's credentials, once the carrier takes the new ones; fails with `carrier_problem` where it does not. Texts go on with the old ones until then. */
export async function rotateCarrier(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  credentials: Record<string, string>,
  signal: AbortSignal,
): Promise<CarrierRecord> {
  const tenantId = requireLive(caller);
  const { accounts } = ctx.carriers;
  const account = await carrierAccounts.find(ctx.db, tenantId, id);
  const before = account && (await carrierAccounts.sealed(ctx.db, tenantId, account.carrier));
  if (!account || !before) throw notFound("Carrier");
  refuseLent(account);
  accounts.refuseWrong(account.kind, { credentials, settings: account.settings });
  // What left by one account is looked up in that one alone: in another it would be found nowhere, and sent again.
  const settings = account.settings;
  const now = { credentials: accounts.unseal(tenantId, before), settings };
  const [other] = differing(accounts.driver(account.kind).identity, now, { credentials, settings });
  if (other !== undefined) throw invalidField(other, "is another account: add it as its own");
  const opened = accounts.tryOut(tenantId, before, credentials);
  const within = AbortSignal.any([signal, AbortSignal.timeout(CHECK_WITHIN_MS)]);
  const checks = await opened.check(urlsOf(ctx, account), {}, within).finally(() => opened.close());
  const refused = checks.find(({ name, ok }) => name === CREDENTIALS && !ok);
  if (refused) throw failure("carrier_problem", sentenceOf(refused));
  const isUsed = await hasNumbers(ctx, account);
  await ctx.db.transaction(async (tx) => {
    const held = await carrierAccounts.lock(tx, tenantId, id);
    if (!held) throw notFound("Carrier");
    const sealed = await accounts.seal(tx, tenantId, held.carrier, credentials);
    await carrierAccounts.rotate(tx, tenantId, id, { credentials: sealed, at: ctx.now() });
    await carrierAccounts.checked(tx, tenantId, id, { ...found(account, isUsed, checks), at: ctx.now() });
  });
  return (await carrierAccounts.find(ctx.db, tenantId, id)) ?? account;
}

async function openOwn(ctx: Context, caller: Caller, id: Uuid) {
  const tenantId = requireLive(caller);
  const account = await carrierAccounts.find(ctx.db, tenantId, id);
  if (account) refuseLent(account);
  const opened =
    account &&
    (await ctx.carriers.accounts.open(tenantId, account.carrier, { tx: ctx.db, revision: account.revision }));
  if (!account || !opened) throw notFound("Carrier");
  return { tenantId, account, opened: opened as OpenCarrier, urls: urlsOf(ctx, account) };
}

const urlsOf = ({ publicUrl }: Context, { carrier }: CarrierRecord): CarrierUrls => ({
  base: publicUrl === undefined ? undefined : `${publicUrl}/carrier/${carrier}`,
});

const withoutUrl = ({ publicUrl }: Context): string[] =>
  publicUrl === undefined
    ? [
        "Set PARLEY_PUBLIC_URL to the address at which the carrier reaches this service: until then no receipt and no reply comes in",
      ]
    : [];

/** Takes over the numbers, and marks the account as connected. Returns a sentence for each number that is another account's. */
async function takeNumbers(
  ctx: Context,
  tenantId: LiveTenantId,
  id: Uuid,
  { numbers, readAt }: { numbers: readonly CarrierNumber[]; readAt: Date },
): Promise<string[]> {
  const at = ctx.now();
  const unique = [...new Map(numbers.map((number) => [number.phone, number])).values()];
  return ctx.db.transaction(async (tx) => {
    const account = await carrierAccounts.lock(tx, tenantId, id);
    if (!account) throw notFound("Carrier");
    const of = { carrier: account.carrier, organizationId: account.organization_id, at };
    // A trunk's numbers are what its account says, which no carrier has proved.
    const free =
      account.kind === "sip"
        ? await trunkNumbers.claim(
            tx,
            tenantId,
            unique.map(({ phone }) => phone),
          )
        : undefined;
    const lent = new Set((await lentCarriers.given(tx, account.carrier)).map(({ phone }) => phone));
    const own = unique.filter(({ phone }) => free?.has(phone) !== false && !lent.has(phone));
    const them = own.map(({ phone, capabilities: { sms, mms, voice } }) => ({
      ...{ id: ctx.newId(), phone, area_code: areaCodeOf(phone) },
      ...{ sms, mms, voice },
    }));
    const taken = await phoneNumbers.take(tx, tenantId, of, them);
    const kept = own.map(({ phone }) => phone);
    await phoneNumbers.dropOthers(tx, tenantId, { carrier: account.carrier, kept, readAt, at });
    if (free) await trunkNumbers.keepOnly(tx, tenantId, await phoneNumbers.owned(tx, tenantId, undefined));
    await carrierAccounts.checked(tx, tenantId, id, { status: "connected", problem: null, at });
    return unique
      .filter(({ phone }) => !taken.has(phone) && !lent.has(phone))
      .map(({ phone }) =>
        free?.has(phone) === false
          ? `${phone} is on a trunk of somebody else here: ask who runs this service`
          : `${phone} is a number of another account here: remove it there first`,
      );
  });
}

/** Of its own, or lent. */
const hasNumbers = async ({ db }: Context, { carrier, numbers_count }: CarrierRecord): Promise<boolean> =>
  numbers_count > 0 || (await lentCarriers.given(db, carrier)).length > 0;

/** What checks say of an account: in trouble or suspended where one says so; what it was where the carrier could not be asked; else what it would be but for that. */
function found(
  account: CarrierRecord,
  isUsed: boolean,
  checks: readonly CarrierCheck[],
): { status: CarrierStatus; problem: string | null } {
  const failed = checks.filter(({ ok }) => !ok);
  const troubled = failed.find((check) => check.account === "refused") ?? failed.find((check) => check.account);
  if (troubled) return { status: STATUS_OF[troubled.account!], problem: sentenceOf(troubled) };
  const unasked = failed.find(({ name }) => name === CREDENTIALS);
  if (unasked) return { status: account.status, problem: sentenceOf(unasked) };
  const [first] = failed;
  return { status: isUsed ? "connected" : "new", problem: first ? sentenceOf(first) : null };
}

const sentenceOf = ({ name, problem, remedy }: CarrierCheck): string =>
  sentences(problem ?? `The check of ${name} failed`, remedy);

/** What is wrong and what to do: carriers' own words end with a full stop, ours do not. */
const sentences = (problem: string, remedy: string | null): string =>
  [problem.replace(/\.$/, ""), remedy].filter((part) => part !== null).join(". ");

/** What a carrier did not do, as a sentence; undefined for what is no carrier's doing. */
function problemOf(error: unknown): { problem: string; account?: "refused" | "suspended" | undefined } | undefined {
  if (error instanceof CarrierProblem) {
    const problem = sentences(error.message, error.remedy);
    return { problem, account: error.account };
  }
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  return isLate ? { problem: "The carrier did not answer in time: try again" } : undefined;
}
