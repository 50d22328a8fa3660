import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import type { Sending } from "./sending.ts";

let texts = 0;

/** A text of a contact, as a carrier brings it. */
export const say = (
  { tenantId }: { tenantId: Uuid },
  ctx: Context,
  from: string,
  text: string,
  sentAt = new Date(),
): Promise<unknown> =>
  receiveMessage(ctx, tenantId, { carrier: "simulator", carrierId: `o_${++texts}`, from, to: SENDER, text, sentAt });

/** What is kept of a phone's opt-out. */
export const consentOf = async (sending: Sending, at: string) =>
  (await sending.client.query("select opted_out_at, opt_out_quote, doubted_at from consents where phone = $1", [at]))
    .rows[0];

export const isOut = async (sending: Sending, at: string): Promise<boolean> =>
  (await consentOf(sending, at)).opted_out_at !== null;
