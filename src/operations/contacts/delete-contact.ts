import { setTimeout as pause } from "node:timers/promises";
import { withoutPerson } from "#domain/contacts/erased-answer.ts";
import { mediaName } from "#domain/messaging/media.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as audit from "#store/accounts/audit.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as callErasures from "#store/calls/erasures.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as erasedConsents from "#store/contacts/erased-consents.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import * as erasures from "#store/contacts/erasures.ts";
import * as imports from "#store/contacts/imports.ts";
import type { Tx } from "#store/database/db.ts";
import * as attempts from "#store/messaging/attempts.ts";
import { IN_FLIGHT_MS, LOOK_AGAIN_MS } from "#store/messaging/in-flight.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";

/** Locks of a piece are held until all of it is erased: seconds at most. */
const CONTACTS_A_TRANSACTION = 500;

/** Erases a person for good, as eraseContacts does. 404 for an unknown contact. */
export async function deleteContact(ctx: Context, caller: Pick<Caller, "tenantId">, id: Uuid): Promise<void> {
  if (!(await contacts.find(ctx.db, caller.tenantId, id))) throw notFound("Contact");
  if ((await eraseContacts(ctx, caller, [id])) === 0) throw notFound("Contact");
}

/**
 * Erases persons for good, so many in one transaction: the contact, its conversations, what carriers and files brought of it, its consents with their
 * proof, stored answers, calls with their recordings. Withdraws what was still to be texted or called, once what is on its way is settled. What is
 * billed and counted stays, without a name. An opt-out stays as a keyed hash and counts again when the number comes back.
 *
 * A number that another contact of the tenant has, of any organization, keeps its consent. A do-not-call entry belongs to the tenant and stays. Returns
 * how many were erased: who is not there any more counts as none.
 */
export async function eraseContacts(
  ctx: Context,
  { tenantId }: Pick<Caller, "tenantId">,
  ids: readonly Uuid[],
): Promise<number> {
  let sum = 0;
  for (const piece of piecesOf(ids, CONTACTS_A_TRANSACTION)) {
    const until = performance.now() + IN_FLIGHT_MS;
    // Journaled first: a database that is restored to an earlier day contains the persons again.
    const at = (await tenants.tenantNow(ctx.db, tenantId, ctx.now())).toISOString();
    await Promise.all(piece.map((contactId) => ctx.journal.append({ kind: "erased", at, tenantId, contactId })));
    for (let left: readonly Uuid[] = piece; left.length > 0; ) {
      const erased = await erase(ctx, tenantId, left, until);
      // The sweep completes this if the process dies here.
      await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, erased.files, ctx.now());
      sum += erased.count;
      left = erased.left;
      if (left.length > 0) await pause(LOOK_AGAIN_MS);
    }
  }
  return sum;
}

type Erased = {
  count: number;
  /** Recordings, and what came with texts, of the erased; they are still to be removed. */
  files: string[];
  /** To whom something is on its way: nothing is written of them. */
  left: Uuid[];
};

function erase(ctx: Context, tenantId: Uuid, ids: readonly Uuid[], until: number): Promise<Erased> {
  return ctx.tenantDb.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    // An import locks its own row before its contacts. None may go on with a file that contains one of the persons.
    await imports.lockAll(tx, tenantId);
    const found = await contacts.lock(tx, tenantId, ids);
    if (found.length === 0) return { count: 0, files: [], left: [] };
    const phonesOf = (them: typeof found) => [...new Set(them.flatMap(({ phones }) => phones))];
    await optOuts.lock(tx, tenantId, phonesOf(found));
    const open = await attempts.phonesWithOpenAttempts(tx, tenantId, phonesOf(found));
    const waits = performance.now() < until;
    const [late, ready] = [true, false].map((isLate) =>
      found.filter((contact) => (waits && contact.phones.some((phone) => open.has(phone))) === isLate),
    ) as [typeof found, typeof found];
    if (!waits && open.size > 0) ctx.log.warn({ tenantId, phones: open.size }, STILL_OPEN);
    const left = late.map(({ id }) => id);
    if (ready.length === 0) return { count: 0, files: [], left };
    const [theirIds, phones] = [ready.map(({ id }) => id), phonesOf(ready)];
    await erasures.hold(tx, tenantId, phones);

    const theirs = await erasures.threadsOfContacts(tx, tenantId, theirIds, phones);
    await withdraw(ctx, tx, tenantId, theirs, now);
    const media = await erasures.conversations(tx, tenantId, theirs, phones, now);
    const shared = await contacts.sharedPhones(tx, tenantId, phones, theirIds);
    const own = phones.filter((phone) => !shared.has(phone));
    await messages.withdrawForStrangers(tx, tenantId, own, REASON, now);
    await erasedPhones.keep(tx, tenantId, own, { hash: ctx.hashPhone, at: now });
    media.push(...(await erasures.numbers(tx, tenantId, own, now)));
    const ownOnes = new Set(own);
    const persons = ready.map((contact) => ({
      erasureId: ctx.newId(),
      contactId: contact.id,
      phones: contact.phones.filter((phone) => ownOnes.has(phone)),
    }));
    await erasedConsents.erase(tx, tenantId, persons, now);
    await erasures.traces(tx, tenantId, phones);
    await audit.forgetPhonesOf(tx, (await tenants.find(tx, tenantId))!.account_id, phones);
    const words = [...phones, ...theirIds.map((id) => publicId("contact", id))];
    const named = new Set(words);
    await erasures.answers(tx, tenantId, words, (body) => withoutPerson(body, named));
    const whose = { contactIds: theirIds, phones, own };
    const recordings = await callErasures.calls(tx, tenantId, whose, { at: now, changeId: ctx.newId() });
    const namesOf = (them: typeof media) => them.map(({ id }) => mediaName(tenantId, id));
    await objectsToDelete.add(tx, tenantId, [...recordings, ...namesOf(media)], ctx.now());
    // What is being fetched may be stored after this: the sweep removes it.
    const files = [...recordings, ...namesOf(media.filter(({ state }) => state === "kept"))];
    await contacts.erase(tx, tenantId, theirIds, now);
    return { count: theirIds.length, files, left };
  });
}

const STILL_OPEN = "contacts are erased while a text may still arrive";

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
