import type { Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as organizations from "#store/accounts/organizations.ts";

export type OrganizationEntry = Extract<JournalEntry, { kind: "organization" }>;

/** The last request for each organization, of those from after `cut`. Of two of one moment the archive holds. */
export function lastOfEach(entries: readonly OrganizationEntry[], cut: Date | undefined): OrganizationEntry[] {
  const last = new Map<string, OrganizationEntry>();
  for (const entry of entries) {
    if (cut !== undefined && new Date(entry.at) < cut) continue;
    const key = `${entry.tenantId} ${entry.organizationId}`;
    const known = last.get(key);
    if (!known || known.at < entry.at || (known.at === entry.at && entry.wish === "archive")) last.set(key, entry);
  }
  return [...last.values()];
}

/**
 * Archives what was last archived, and takes out of the archive what was last restored after `asOf`. Before campaigns are paused or resumed as last
 * requested: one of an archived organization is not resumed. Nothing of one that the database does not have.
 */
export async function archiveAgain(
  ctx: Context,
  entries: readonly OrganizationEntry[],
  { cut, asOf }: { cut: Date | undefined; asOf: Date | undefined },
): Promise<void> {
  for (const { tenantId, organizationId, wish, at } of lastOfEach(entries, cut)) {
    if (wish === "restore" && (asOf === undefined || new Date(at) < asOf)) continue;
    await organizations.archive(ctx.db, tenantId, organizationId, wish === "archive" ? new Date(at) : null);
  }
}
