import { Type } from "typebox";
import { params } from "#contract/campaigns/campaigns.ts";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, oneOf, page, paging, phone, timestamp } from "#contract/values/shapes.ts";

const tag = "SMS campaigns";

/** What a message may have come to. */
export const MESSAGE_STATES = [
  "scheduled",
  "held",
  "sending",
  "accepted",
  "sent",
  "delivered",
  "undelivered",
  "failed",
  "suppressed",
  "expired",
  "unknown",
  "received",
] as const;

const MessageMedia = named("MessageMedia", {
  media_id: nullable(Type.String({ description: "Null of what was sent: the carrier fetches it from `url`" })),
  status: Type.Enum(["waiting", "kept", "failed", "sent"], {
    description:
      "waiting: it is still to be fetched from the carrier. failed: `problem` says why it is not here. sent: by us",
  }),
  content_type: nullable(Type.String()),
  bytes: nullable(Type.Integer({ description: "Its size in bytes, once it is kept" })),
  url: nullable(
    Type.String({
      description: "Opens what is kept without an API key, for five minutes; of what was sent, the address given",
    }),
  ),
  problem: nullable(Type.String({ description: "A sentence: what went wrong when it was fetched" })),
});

export const Message = named("Message", {
  message_id: Type.String(),
  thread_id: nullable(Type.String()),
  phone_number: Type.String(),
  direction: Type.String(),
  kind: Type.String({ description: "start, drip, reply, human, confirmation, help or inbound" }),
  status: Type.String({ description: MESSAGE_STATES.join(", ") }),
  state: former("status", Type.String()),
  reason: nullable(Type.String()),
  rule: nullable(Type.String({ description: "The rule that held or blocked it" })),
  text: nullable(Type.String()),
  media: Type.Array(MessageMedia, { description: "Pictures and other files of the text (MMS)" }),
  segments: nullable(Type.Integer()),
  scheduled_for: nullable(timestamp()),
  created_at: timestamp(),
  sent_at: nullable(timestamp()),
});

export const listCampaignMessages = operation({
  id: "listCampaignMessages",
  method: "GET",
  path: "/v1/campaigns/:campaign_id/messages",
  tag,
  summary: "List a campaign's messages, newest first",
  scope: "read",
  replica: true,
  params,
  query: Type.Object({
    status: Type.Optional(oneOf(MESSAGE_STATES)),
    phone_number: Type.Optional(phone()),
    ...paging,
  }),
  status: 200,
  response: page("messages", Message),
});

export const resendMessage = operation({
  id: "resendMessage",
  method: "POST",
  path: "/v1/campaigns/:campaign_id/messages/:message_id/resend",
  tag,
  summary: "Send an `unknown` message again; the contact may get it twice",
  scope: "send",
  params: Type.Object({ campaign_id: id("campaign"), message_id: id("message") }),
  status: 202,
  response: Type.Object({ message: Message }),
});
