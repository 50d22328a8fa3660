import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as audit from "#store/accounts/audit.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import * as imports from "#store/contacts/imports.ts";
import type { Tx } from "#store/database/db.ts";
import * as eventNumbers from "#store/system/event-numbers.ts";
import * as requests from "#store/system/requests.ts";

// What is kept for a time, and removed once it is over: by the system, which says so in the tenant's audit log.

const DAY_MS = 86_400_000;
const REQUESTS_KEPT_MS = 7 * DAY_MS;
/** PCI DSS 4.0, 10.5.1: requests of admins are kept for a year. They are deleted by age alone, however many there are. */
const REQUESTS_OF_ADMINS_KEPT_MS = 365 * DAY_MS;
/**
 * How long rows that could not be taken are kept, to be corrected and sent again. Whose they are is not always known, so they are not kept for good.
 */
const IMPORT_ERRORS_KEPT_MS = 30 * DAY_MS;
/** No import takes longer: no unread file can contain a person who was erased before that. */
const HASHES_KEPT_MS = 7 * DAY_MS;

/** Small enough that nobody waits for it, large enough that most tenants have one entry of each kind a day. */
const REMOVED_AT_ONCE = 20_000;

type Kind = {
  /** As the entry's object names it. */
  name: string;
  keptMs: number;
  /** Some tenants that have what is from before this (real) time. */
  tenants(tx: Tx, before: Date): Promise<Uuid[]>;
  /** Removes the oldest of a tenant, at most so many; answers with how many they were. */
  remove(tx: Tx, tenantId: Uuid, before: Date, limit: number): Promise<number>;
};

const ofRequests = (of: "admins" | "others") => ({
  tenants: (tx: Tx, before: Date) => requests.tenantsWithOld(tx, of, before),
  remove: (tx: Tx, tenantId: Uuid, before: Date, limit: number) => requests.forget(tx, of, tenantId, before, limit),
});

const kinds = (eventDays: number): Kind[] => [
  {
    ...{ name: "events", keptMs: eventDays * DAY_MS },
    ...{ tenants: eventNumbers.tenantsWithOld, remove: eventNumbers.forget },
  },
  { name: "requests", keptMs: REQUESTS_KEPT_MS, ...ofRequests("others") },
  { name: "requests_of_admins", keptMs: REQUESTS_OF_ADMINS_KEPT_MS, ...ofRequests("admins") },
  {
    ...{ name: "hashes_of_erased_phones", keptMs: HASHES_KEPT_MS },
    ...{ tenants: erasedPhones.tenantsWithOld, remove: erasedPhones.forget },
  },
];

/** Removes what has been kept for long enough. Any number of processes may run it. */
export async function removeOld(ctx: Context, { eventDays }: { eventDays: number }): Promise<void> {
  for (const kind of kinds(eventDays)) {
    // By whole days, so that a tenant's log has an entry a day and not one every few seconds.
    const before = startOfDay(ctx.now().getTime() - kind.keptMs);
    while (await removeKind(ctx, kind, before));
  }
  const before = new Date(ctx.now().getTime() - IMPORT_ERRORS_KEPT_MS);
  for (const { tenant_id, id } of await imports.withErrorsBefore(ctx.db, before)) {
    const object = { kind: "import", id: publicId("import", id) };
    await removing(ctx, tenant_id, { object, counts: "rows", before }, (tx) =>
      imports.forgetErrorRows(tx, tenant_id, id),
    );
  }
}

/** True when there may be more. Not where another process is at the same: it sees to the rest. */
async function removeKind(ctx: Context, kind: Kind, before: Date): Promise<boolean> {
  let isMore = false;
  for (const tenantId of await kind.tenants(ctx.db, before)) {
    const what = { object: { kind: kind.name, id: null }, counts: kind.name, before };
    const remove = (tx: Tx) => kind.remove(tx, tenantId, before, REMOVED_AT_ONCE);
    if ((await removing(ctx, tenantId, what, remove)) > 0) isMore = true;
  }
  return isMore;
}

/** Removes, and says so in the tenant's log, in one transaction. */
const removing = (
  ctx: Context,
  tenantId: Uuid,
  { object, counts, before }: { object: { kind: string; id: string | null }; counts: string; before: Date },
  remove: (tx: Tx) => Promise<number>,
): Promise<number> =>
  ctx.db.transaction(async (tx) => {
    const removed = await remove(tx);
    if (removed === 0) return 0;
    const note = { object, before: { older_than: before }, after: null, counts: { [counts]: removed } };
    await audit.addOfSystemInMode(tx, tenantId, { id: ctx.newId(), operation: "removeOld" }, note, ctx.now());
    return removed;
  });

const startOfDay = (ms: number) => new Date(Math.floor(ms / DAY_MS) * DAY_MS);
