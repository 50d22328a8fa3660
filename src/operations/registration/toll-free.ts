import { liveTenant } from "#domain/accounts/modes.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import {
  requireTollFree,
  type TollFreeFields,
  type TollFreeVerification,
  tollFreeFields,
} from "#domain/numbers/toll-free.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import type { Page } from "#domain/values/paging.ts";
import { asRefusal, registryOf } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { TollFree, TollFreeVerdict } from "#ports/registry.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";
import * as tollFree from "#store/numbers/toll-free.ts";
import { pollVerdicts, verdictOf } from "./poll-verdicts.ts";

/** The parts of the list's page key: when a verification was requested, and the carrier's id of it. */
export const TOLL_FREE_KEY = [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, /^[\w+ -]{1,100}$/] as const;

const UNKNOWN: TollFreeVerdict = { status: "PENDING", reasons: [], editableUntil: null, isEditable: true };

/**
 * Requests the verification of a toll-free number, and stores it as PENDING until the carrier has decided. In live mode it goes by the account that the
 * number is on. 409 where the number has one: a refused one is resubmitted.
 */
export async function requestTollFreeVerification(
  ctx: Context,
  caller: Caller,
  text: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<TollFreeVerification> {
  const { tenantId } = caller;
  const phone = requireTollFree(requirePhone("phone_number", text));
  const fields = tollFreeFields(body) as TollFreeFields;
  const there = await tollFree.find(ctx.db, tenantId, phone);
  if (there) throw alreadyThere(phone);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const { by, carrier } = await verifierOf(ctx, caller, phone);
  const { id } = await by.request(phone, fields, caller.newId(), signal).catch(refused);
  // Requested: what is not answered from here on is asked by the poll.
  const verdict = await by.status({ id, phone, fields }, now, now, signal).catch(() => UNKNOWN);
  const { status, reasons, editableUntil, isEditable } = verdict;
  const state = { status, reasons: [...reasons], editable_until: editableUntil, is_editable: isEditable };
  const one = { id, phone, carrier, fields, ...state, created_at: now, updated_at: now };
  ctx.audit.note({ object: { kind: "phone_number", id: phone } });
  if (!(await tollFree.insert(ctx.db, tenantId, one))) throw alreadyThere(phone);
  return one;
}

const alreadyThere = (phone: string) =>
  failure("conflict", `The verification of ${phone} has been requested: a refused one is resubmitted`);

const refused = (error: unknown): never => {
  throw asRefusal(error);
};

/** Who verifies a number: in test mode the simulated registry, in live mode the account that it is on. 400 where that does not. */
async function verifierOf(
  ctx: Context,
  caller: Caller,
  phone: string,
): Promise<{ by: TollFree; carrier: string | null }> {
  const live = liveTenant(caller);
  if (live === undefined) return { by: ctx.registry.tollFree, carrier: null };
  const number = await phoneNumbers.find(ctx.db, live, phone);
  if (!number) throw invalidField("phone_number", "is on no carrier account: connect one that has the number");
  const registry = await registryOf(ctx, caller, number.carrier);
  if (!registry)
    throw invalidField("phone_number", "is on an account that has no numbers verified: request it of its carrier");
  return { by: registry.tollFree, carrier: number.carrier };
}

/** 404 where the number has none. */
export async function getTollFreeVerification(
  ctx: Context,
  caller: Caller,
  text: string,
  signal: AbortSignal,
): Promise<TollFreeVerification> {
  return withVerdict(ctx, caller, await required(ctx, caller, text), signal);
}

async function required(ctx: Context, { tenantId }: Caller, text: string): Promise<TollFreeVerification> {
  const found = await tollFree.find(ctx.db, tenantId, requirePhone("phone_number", text));
  if (!found) throw notFound("Toll-free verification");
  return found;
}

/** The tenant's, newest first, each with the latest answer; what a carrier's says, the poll has asked. */
export async function listTollFreeVerifications(
  ctx: Context,
  caller: Caller,
  page: TextPageRequest,
  signal: AbortSignal,
): Promise<Page<TollFreeVerification>> {
  const [at, id] = page.after ?? [];
  const before = at && id ? { at: new Date(at), id } : undefined;
  const found = await tollFree.list(ctx.db, caller.tenantId, { before, limit: page.limit });
  const cut = textPageOf(found, page.limit, (one) => [one.created_at.toISOString(), one.id]);
  const items: TollFreeVerification[] = [];
  for (const one of cut.items) items.push(one.carrier === null ? await withVerdict(ctx, caller, one, signal) : one);
  return { ...cut, items };
}

/**
 * Sends a REJECTED verification to the carrier again, with the given fields changed; it becomes PENDING. 409 for any other. One that the carrier does
 * not refuse any more, since an earlier try was taken whose answer is lost, is not sent a second time.
 */
export async function resubmitTollFreeVerification(
  ctx: Context,
  caller: Caller,
  text: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<TollFreeVerification> {
  const { tenantId } = caller;
  const given = tollFreeFields(body);
  const old = await required(ctx, caller, text);
  if (old.status !== "REJECTED")
    throw failure("conflict", `Only a REJECTED verification can be resubmitted, this is ${old.status}`);
  const fields = { ...old.fields, ...given };
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const { by, carrier } = await verifierOf(ctx, caller, old.phone);
  const { id, phone } = old;
  // By another account it is another request.
  const isMoved = carrier !== old.carrier;
  const before =
    carrier === null || isMoved ? undefined : await by.status({ id, phone, fields }, at, at, signal).catch(refused);
  const isTaken = before !== undefined && before.status !== "REJECTED";
  const request = isTaken
    ? { id }
    : isMoved
      ? await by.request(phone, fields, caller.newId(), signal).catch(refused)
      : await by
          .resubmit({ id, phone, isEditable: before?.isEditable ?? true }, fields, caller.newId(), signal)
          .catch(refused);
  const changed = await tollFree.change(ctx.db, tenantId, old, {
    ...{ id: request.id, carrier, fields, reasons: [], editable_until: null, is_editable: true, updated_at: at },
    status: isTaken ? before.status : "PENDING",
  });
  if (!changed) throw failure("conflict", "This verification has just been resubmitted");
  return changed;
}

/** Asks about every verification that is PENDING, of all tenants. For the sweep; safe to run anywhere, any time. */
export const pollTollFree = (ctx: Context): Promise<void> =>
  pollVerdicts(ctx, tollFree, (tenant, one: TollFreeVerification, signal) => withVerdict(ctx, tenant, one, signal));

/** A PENDING one with the verdict, if there is one by now. A carrier that does not answer leaves it PENDING. */
async function withVerdict(
  ctx: Context,
  tenant: { tenantId: Uuid; mode: "live" | "test" },
  one: TollFreeVerification,
  signal: AbortSignal,
): Promise<TollFreeVerification> {
  if (one.status !== "PENDING") return one;
  const { tenantId } = tenant;
  const registry = await registryOf(ctx, tenant, one.carrier);
  if (!registry) return one;
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const answer = registry.tollFree.status(one, one.updated_at, at, signal);
  const verdict = await verdictOf(ctx, { what: "toll-free verification", id: one.id }, answer);
  if (verdict === undefined) return one;
  const { status, reasons, editableUntil, isEditable } = verdict;
  const { id, carrier, fields } = one;
  const change = {
    status,
    reasons: [...reasons],
    editable_until: editableUntil,
    is_editable: isEditable,
    updated_at: at,
  };
  return (
    (await tollFree.change(ctx.db, tenantId, one, { id, carrier, fields, ...change })) ??
    (await tollFree.find(ctx.db, tenantId, one.phone)) ??
    one
  );
}
