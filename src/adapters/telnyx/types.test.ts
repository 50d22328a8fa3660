import assert from "node:assert/strict";
import { test } from "node:test";
import Telnyx from "telnyx";
import type { MessageSendParams } from "telnyx/resources/messages/messages";
import type { BrandCreateParams } from "telnyx/resources/messaging-10dlc/brand/brand";
import type { CampaignBuilderSubmitParams } from "telnyx/resources/messaging-10dlc/campaign-builder/campaign-builder";
import type {
  MessagingProfileCreateParams,
  MessagingProfileUpdateParams,
} from "telnyx/resources/messaging-profiles/messaging-profiles";
import type {
  RequestCreateParams,
  RequestUpdateParams,
} from "telnyx/resources/messaging-tollfree/verification/requests";
import type { NumberOrderCreateParams } from "telnyx/resources/number-orders";
import { anAccount, NUMBER, URLS } from "#test/support/carriers/telnyx/opened.ts";
import type { MessageRequest } from "./messages.ts";
import type { OrderRequest } from "./numbers.ts";
import type { BrandRequest, CampaignRequest } from "./registry.ts";
import type { ProfileRequest } from "./set-up.ts";
import type { TollFreeRequest } from "./toll-free.ts";

/** Compiles only where what we send is what Telnyx's own package sends: no field that it lacks, each of its type. */
type Fits<Ours extends Pick<Theirs, keyof Ours & keyof Theirs>, Theirs> =
  Exclude<keyof Ours, keyof Theirs> extends never ? true : never;

const FITS: [
  Fits<MessageRequest, MessageSendParams>,
  Fits<OrderRequest, NumberOrderCreateParams>,
  Fits<ProfileRequest, MessagingProfileCreateParams>,
  Fits<Partial<ProfileRequest>, MessagingProfileUpdateParams>,
  Fits<CampaignRequest, CampaignBuilderSubmitParams>,
  // Open-ended with us: its lists of kinds and verticals grow.
  Fits<Omit<BrandRequest, "entityType" | "vertical">, Partial<BrandCreateParams>>,
  Fits<TollFreeRequest, RequestCreateParams>,
  Fits<TollFreeRequest, RequestUpdateParams>,
] = [true, true, true, true, true, true, true, true];

test("every request of ours fits the types of Telnyx's own package", () => {
  assert.ok(FITS.every(Boolean));
});

test("Telnyx's own package reads what the stand-in answers, texts by it, and takes its webhooks", async (t) => {
  const { server, profile } = await anAccount(t);
  const telnyx = new Telnyx({
    apiKey: server.apiKey,
    publicKey: server.publicKey,
    baseURL: `${server.url}/v2`,
    maxRetries: 0,
  });
  const sent = await telnyx.messages.send({
    from: NUMBER,
    to: "+12125551000",
    text: "Hello",
    webhook_url: `${URLS.base}/x`,
  });
  assert.equal(sent.data?.id, server.taken[0]!.id);
  await assert.rejects(telnyx.messages.send({ from: "+12125550999", to: "+12125551000", text: "Hello" }), /40305/);
  const numbers = [];
  for await (const number of telnyx.phoneNumbers.list()) numbers.push(number.phone_number);
  assert.deepEqual(numbers, [NUMBER]);
  const read = await telnyx.messagingProfiles.retrieve(profile.id);
  assert.equal(read.data?.webhook_url, `${URLS.base}/sms`);
  const { body, headers } = server.inbound({ from: "+12125551000", to: NUMBER, text: "STOP" });
  const event = await telnyx.webhooks.unwrap(body, { headers });
  assert.equal((event as { data?: { event_type?: string } }).data?.event_type, "message.received");
  await assert.rejects(telnyx.messages.send({ from: NUMBER, to: "+12125551000", text: "Hello" }), /40300/);
});
