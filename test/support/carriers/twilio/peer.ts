import { SENDER } from "#test/support/campaigns/campaign.ts";
import type { PeerRow, Report, Wrong } from "#test/support/carriers/peer.ts";
import { ACCOUNT_SID, AUTH_TOKEN, type Behaviour, type Sent, startTwilio } from "./stand-in.ts";

const WRONGS: Record<Wrong, Behaviour[]> = {
  taken_then_error: ["500_after"],
  taken_then_reset: ["reset_after"],
  error: ["500", "queued"],
  rate_limited: ["429", "queued"],
  opted_out: [21610],
  unknown_code: [29999],
  receipt_first: ["report_first"],
};

export const twilioRow: PeerRow = {
  name: "Twilio",
  async start(t, now, mediaHost) {
    const twilio = await startTwilio(t, { now });
    const number = twilio.addNumber(SENDER);
    const taken = (): Sent[] => twilio.messages.toReversed();
    const inbound = (from: string, text: string, id: string) => ({
      ...{ AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", From: from, To: SENDER, Body: text },
      ...{ MessageSid: id, SmsSid: id, NumMedia: "0", NumSegments: "1" },
    });
    const sidOf = (id: string) => `SM${Buffer.from(id).toString("hex").padStart(32, "0").slice(-32)}`;
    return {
      hosts: { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url, "mms.twiliocdn.com": mediaHost.url },
      open: () => ({
        sender: SENDER,
        account: { kind: "twilio", credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN }, settings: {} },
        taken: async () => taken().map(({ to, body: text, mediaUrls: media }) => ({ to, text, media })),
        async behave(phone, wrong) {
          twilio.behave(phone, ...WRONGS[wrong]);
          return undefined;
        },
        async report(phone, status: Report, times = 1) {
          const message = taken().findLast(({ to }) => to === phone)!;
          const more = status === "undelivered" ? { ErrorCode: "30008" } : undefined;
          for (let n = 0; n < times; n++) await twilio.report(message, status, more);
        },
        async receive(from, text, id) {
          await twilio.webhook(String(number.sms_url), inbound(from, text, sidOf(id)));
        },
        async receiveMedia(from, text, id, names) {
          const at = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT_SID}/Messages/MM1/Media`;
          const media = names.flatMap((name, n) => [
            [`MediaUrl${n}`, `${at}/${name}`],
            [`MediaContentType${n}`, "image/png"],
          ]);
          await twilio.webhook(String(number.sms_url), {
            ...inbound(from, text, sidOf(id)),
            NumMedia: String(names.length),
            ...Object.fromEntries(media),
          });
        },
        async forge(from, text) {
          const url = String(number.sms_url);
          return (await twilio.webhook(url, inbound(from, text, sidOf(`forged ${from}`)), "another token")).status;
        },
        async changeCredentials() {
          twilio.authToken = "fedcba9876543210fedcba9876543210";
          return { account_sid: ACCOUNT_SID, auth_token: twilio.authToken };
        },
      }),
    };
  },
};
