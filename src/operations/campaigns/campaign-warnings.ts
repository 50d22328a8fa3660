import type { Agent } from "#domain/agents/agent.ts";
import { voiceWarnings } from "#domain/agents/voice.ts";
import type { Lead } from "#domain/contacts/lead.ts";
import { zoneWarning } from "#domain/contacts/zone-warning.ts";
import { numberKind } from "#domain/numbers/rate-limits.ts";
import { senderWarning } from "#domain/numbers/sender-warning.ts";
import { unknownTollFree } from "#domain/numbers/toll-free.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";
import * as tollFree from "#store/numbers/toll-free.ts";
import * as preflights from "#store/sending/preflight.ts";

/** A request's field that names a number of ours. */
type Sender = { field: string; phone: string; channel: "sms" | "voice" };

type Wanted = {
  organizationId: Uuid;
  config: Agent;
  leads: readonly Lead[];
  /** The leads of the body, and the field that has them. */
  given: readonly Lead[];
  field: string;
  senders: readonly Sender[];
  /** The agent that may call. */
  voice: { config: Agent } | undefined;
};

/** All that a new campaign is warned of: numbers that are not its organization's, voices that another speaks for, leads that lack a field, and zones that are none. */
export async function campaignWarnings(ctx: Context, caller: Caller, wanted: Wanted): Promise<string[]> {
  const { tenantId, mode } = caller;
  const { organizationId, config, leads } = wanted;
  const phones = wanted.senders.map(({ phone }) => phone);
  const missing = await preflights.missingOf(ctx.db, tenantId, { organizationId, config }, leads);
  const owners = await numbers.ownersOf(ctx.db, tenantId, phones);
  const texted = wanted.senders.filter(({ channel, phone }) => channel === "sms" && numberKind(phone) === "toll_free");
  const isChecked = mode === "live" && texted.length > 0;
  const verified = isChecked
    ? await tollFree.statesOf(
        ctx.db,
        tenantId,
        texted.map(({ phone }) => phone),
      )
    : new Map();
  return [
    ...wanted.senders.flatMap(({ field, phone, channel }) => {
      const warning = senderWarning({ field, phone, channel, mode }, owners.get(phone)!, organizationId);
      return warning === undefined ? [] : [warning];
    }),
    ...(isChecked ? texted : []).flatMap(({ field, phone }) =>
      verified.has(phone) ? [] : [unknownTollFree(field, phone)],
    ),
    ...(wanted.voice ? voiceWarnings(wanted.voice.config, ctx.voice, " of voice_agent_id") : []),
    ...missing.warnings(wanted),
    ...zoneWarning(wanted.given, wanted.field),
  ];
}
