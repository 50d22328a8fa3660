import { isOutreach } from "#domain/messaging/message.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry, JournaledText } from "#ports/journal.ts";
import * as journaledAttempts from "#store/sending/journaled-attempts.ts";

/** For a carrier that is not configured any more: as long as any request may take. */
const SETTLE_MS = 60_000;

export type Sends = Extract<JournalEntry, { kind: "sends" }>;
export type Unknown = { tenantId: Uuid; at: string; phone: string; campaignId: Uuid; messageId: Uuid };
/** What was removed for good: it was never to anybody, and nobody creates it again. Numbers have their tenant before them. */
export type UnknownOf = { campaigns: Set<Uuid>; numbers: Set<string> };

const goesOut = ({ purpose }: JournaledText): boolean => purpose !== "callback" && isOutreach(purpose);

/** Has texts (or calls) of one batch looked up, as far as the database has forgotten them. */
export function reopen(ctx: Context, entry: Sends): Promise<{ reopened: number; unknown: JournaledText[] }> {
  const { tenantId, nodeId, carrier, sender, channel = "sms" } = entry;
  // Not before the carrier, too, must have done with what it was last asked: the restore may have taken no time at all.
  const capabilities = (channel === "sms" ? ctx.carriers : ctx.lines).byName(carrier)?.capabilities;
  const checkAt = new Date(ctx.now().getTime() + (capabilities?.settleMs ?? SETTLE_MS));
  const texts = entry.texts.map((text) => ({ ...text, outreach: goesOut(text) }));
  const at = new Date(entry.at);
  const changeId = ctx.newId();
  return ctx.db.transaction((tx) =>
    journaledAttempts.reopen(tx, tenantId, texts, { channel, nodeId, carrier, sender, at, checkAt, changeId }),
  );
}

/** Of texts that the database has never seen, those that somebody has to know of. An answer that it has never seen was to such a text. */
export const unknownOf = (removed: UnknownOf, { tenantId, at, sender }: Sends, texts: JournaledText[]): Unknown[] =>
  texts
    .filter(goesOut)
    .filter(({ campaignId }) =>
      campaignId === NO_ID ? !removed.numbers.has(`${tenantId} ${sender}`) : !removed.campaigns.has(campaignId),
    )
    .map(({ phone, campaignId, messageId }) => ({ tenantId, at, phone, campaignId, messageId }));
