import { setTimeout as pause } from "node:timers/promises";
import { withoutPerson } from "#domain/contacts/erased-answer.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as callErasures from "#store/calls/erasures.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import * as erasures from "#store/contacts/erasures.ts";
import * as imports from "#store/contacts/imports.ts";
import type { Tx } from "#store/database/db.ts";
import * as attempts from "#store/messaging/attempts.ts";
import { IN_FLIGHT_MS, LOOK_AGAIN_MS } from "#store/messaging/in-flight.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";

/**
 * Erases a person for good, in one transaction: the contact, its conversations, what carriers and files brought of it, its consents with their proof,
 * stored answers, calls with their recordings. Withdraws what was still to be texted or called, once what is on its way is settled. What is billed
 * and counted stays, without a name. An opt-out stays as a keyed hash and counts again when the number comes back.
 *
 * A number that another contact of the tenant has, of any organization, keeps its consent. A do-not-call entry belongs to the tenant and stays.
 */
export async function deleteContact(ctx: Context, caller: Pick<Caller, "tenantId">, id: Uuid): Promise<void> {
  const { tenantId } = caller;
  if (!(await contacts.find(ctx.db, tenantId, id))) throw notFound("Contact");
  const until = performance.now() + IN_FLIGHT_MS;
  // Journaled first: a database that is restored to an earlier day contains the person again.
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  await ctx.journal.append({ kind: "erased", at: at.toISOString(), tenantId, contactId: id });
  let recordings = await erase(ctx, tenantId, id, until);
  for (; recordings === undefined; recordings = await erase(ctx, tenantId, id, until)) await pause(LOOK_AGAIN_MS);
  // The sweep completes this if the process dies here.
  await Promise.all(recordings.map((name) => ctx.objects.remove(name)));
  await objectsToDelete.gone(ctx.db, tenantId, recordings);
}

/** The names of the person's recordings, which are still to be removed. Undefined, with nothing written, while a text is on its way to the person. */
function erase(ctx: Context, tenantId: Uuid, id: Uuid, until: number): Promise<string[] | undefined> {
  return ctx.tenantDb.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    // An import locks its own row before its contacts. None may go on with a file that contains the person.
    await imports.lockAll(tx, tenantId);
    const contact = await contacts.lock(tx, tenantId, id);
    if (!contact) throw notFound("Contact");
    const { phones } = contact;
    await optOuts.lock(tx, tenantId, phones);
    const open = await attempts.openFor(tx, tenantId, phones);
    if (open > 0 && performance.now() < until) return undefined;
    if (open > 0) ctx.log.warn({ tenantId, attempts: open }, "a contact is erased while a text may still arrive");
    await erasures.hold(tx, tenantId, phones);

    const theirs = await erasures.threadsOfContact(tx, tenantId, id, phones);
    await withdraw(ctx, tx, tenantId, theirs, now);
    await erasures.conversations(tx, tenantId, theirs, phones, now);
    const shared = await contacts.sharedPhones(tx, tenantId, phones, id);
    const own = phones.filter((phone) => !shared.has(phone));
    await messages.withdrawForStrangers(tx, tenantId, own, REASON, now);
    await erasedPhones.keep(tx, tenantId, own, { hash: ctx.hashPhone, at: now });
    await erasures.numbers(tx, tenantId, own, now);
    await erasures.traces(tx, tenantId, phones);
    const words = [...phones, publicId("contact", id)];
    await erasures.answers(tx, tenantId, words, (body) => withoutPerson(body, words));
    const whose = { contactId: id, phones, own };
    const recorded = await callErasures.calls(tx, tenantId, whose, { at: now, changeId: ctx.newId() });
    await objectsToDelete.add(tx, tenantId, recorded, ctx.now());
    await contacts.erase(tx, tenantId, id, now);
    return recorded;
  });
}

const REASON = "contact_erased";

async function withdraw(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  theirs: readonly erasures.ErasedThread[],
  now: Date,
): Promise<void> {
  await messages.withdraw(tx, tenantId, theirs, { reason: REASON, changeId: ctx.newId(), now });
  const waiting = theirs.filter((thread) => thread.state === "scheduled" || thread.state === "held");
  const moves = waiting.map((thread) => ({
    campaignId: thread.campaign_id,
    threadId: thread.id,
    state: "skipped" as const,
    reason: REASON,
  }));
  await threads.move(tx, tenantId, moves, ctx.newId(), now);
}
