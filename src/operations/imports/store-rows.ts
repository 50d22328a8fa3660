import { uniqueByPhone } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import * as importContacts from "#store/contacts/import-contacts.ts";
import * as imports from "#store/contacts/imports.ts";
import type { Tx } from "#store/database/db.ts";
import type { ImportContext } from "./import-context.ts";
import type { ReadRows } from "./read-rows.ts";

/** Stores rows of a locked import at `at`, in the tenant's time, and counts them in `fileImport`, which the caller saves. */
export async function storeRows(
  ctx: ImportContext,
  tx: Tx,
  tenantId: Uuid,
  fileImport: imports.Import,
  read: ReadRows,
  at: Date,
): Promise<void> {
  const { leads, errors } = await withoutErased(ctx, tx, tenantId, fileImport, read);
  const rows = uniqueByPhone(leads)
    .map(({ phone, fields }) => ({ id: ctx.newId(), phone, fields }))
    .sort((a, b) => (a.phone < b.phone ? -1 : 1));
  await leadConsents.bring(tx, tenantId, rows, { now: at, newId: ctx.newId });
  const stored = await importContacts.store(tx, tenantId, fileImport, rows, at);
  await imports.insertErrorRows(tx, tenantId, fileImport.id, errors);
  fileImport.created += stored.created;
  fileImport.updated += stored.updated;
  // A number that occurred earlier in the file: its row's fields go to the same contact.
  fileImport.skipped += leads.length - rows.length + stored.repeated;
  fileImport.failed += errors.length;
}

/** The file does not bring back a person who was erased after it was uploaded. */
async function withoutErased(
  ctx: ImportContext,
  tx: Tx,
  tenantId: Uuid,
  fileImport: imports.Import,
  { leads, errors }: ReadRows,
): Promise<ReadRows> {
  const phones = [...leads.map((lead) => lead.phone), ...errors.flatMap((error) => error.phones)];
  const erased = await erasedPhones.since(tx, tenantId, phones, { hash: ctx.hashPhone, at: fileImport.created_at });
  if (erased.size === 0) return { leads, errors };
  const gone = leads.filter((lead) => erased.has(lead.phone));
  return {
    leads: leads.filter((lead) => !erased.has(lead.phone)),
    errors: [
      ...errors.map((error) => (error.phones.some((phone) => erased.has(phone)) ? erasedRow(error.row) : error)),
      ...gone.map((lead) => erasedRow(lead.index)),
    ],
  };
}

const erasedRow = (row: number): imports.NewRowError => ({
  row,
  reason: "the contact was erased after the file was sent",
  cells: [],
  phone: null,
  phones: [],
});
