import { isOutreach } from "#domain/messaging/message.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry, JournaledText } from "#ports/journal.ts";
import * as journaledAttempts from "#store/sending/journaled-attempts.ts";

/** For accounts, and for a carrier that is not configured any more: as long as any request may take. */
const SETTLE_MS = 60_000;

export type Sends = Extract<JournalEntry, { kind: "sends" }>;
export type Unknown = { tenantId: Uuid; at: string; phone: string; campaignId: Uuid; messageId: Uuid };
/** What was removed for good and will not be created again. Numbers are prefixed by their tenant. */
export type UnknownOf = { campaigns: Set<Uuid>; numbers: Set<string> };

const goesOut = ({ purpose }: JournaledText): boolean => purpose !== "callback" && isOutreach(purpose);

/** Has the texts (or calls) of one batch looked up that the database does not have. */
export function reopen(ctx: Context, entry: Sends): Promise<{ reopened: number; unknown: JournaledText[] }> {
  const { tenantId, nodeId, carrier, sender, channel = "sms" } = entry;
  // Not before the carrier has finished its last request: the restore may have taken no time at all.
  const { simulator } = ctx.carriers;
  const capabilities =
    channel === "voice"
      ? ctx.lines.byName(carrier)?.capabilities
      : carrier === simulator.name
        ? simulator.capabilities
        : undefined;
  const checkAt = new Date(ctx.now().getTime() + (capabilities?.settleMs ?? SETTLE_MS));
  const texts = entry.texts.map((text) => ({ ...text, outreach: goesOut(text) }));
  const at = new Date(entry.at);
  const changeId = ctx.newId();
  return ctx.db.transaction((tx) =>
    journaledAttempts.reopen(tx, tenantId, texts, { channel, nodeId, carrier, sender, at, checkAt, changeId }),
  );
}

/** Those of the texts missing from the database that a person has to decide about. An answer that is missing was to a missing inbound text. */
export const unknownOf = (removed: UnknownOf, { tenantId, at, sender }: Sends, texts: JournaledText[]): Unknown[] =>
  texts
    .filter(goesOut)
    .filter(({ campaignId }) =>
      campaignId === NO_ID ? !removed.numbers.has(`${tenantId} ${sender}`) : !removed.campaigns.has(campaignId),
    )
    .map(({ phone, campaignId, messageId }) => ({ tenantId, at, phone, campaignId, messageId }));
