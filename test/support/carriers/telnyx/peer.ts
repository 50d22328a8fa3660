import type { PeerRow, Wrong } from "#test/support/carriers/peer.ts";
import { addNumber, addProfile } from "./account.ts";
import type { Behavior } from "./behavior.ts";
import { startTelnyx } from "./server.ts";

/** Toll-free: local numbers would have to be registered first, which is another story. */
const SENDER = "+18005550100";

const ACCEPT = { kind: "accept" } as const;
const WRONGS: Record<Wrong, Partial<Behavior>[]> = {
  taken_then_error: [{ create: { kind: "lose", how: "500" } }],
  taken_then_reset: [{ create: { kind: "lose", how: "reset" } }],
  error: [{ create: { kind: "fail", how: "500" } }],
  rate_limited: [{ create: { kind: "refuse", status: 429, code: "10011", retryAfter: "1" } }, { create: ACCEPT }],
  opted_out: [{ create: { kind: "refuse", status: 400, code: "40300", title: "Blocked due to STOP message" } }],
  unknown_code: [{ create: { kind: "refuse", status: 422, code: "49999" } }],
  receipt_first: [{ create: ACCEPT, reports: [{ status: "delivered" }], when: "before" }],
};

const STATUSES = { sent: "sent", delivered: "delivered", undelivered: "delivery_failed" } as const;

export const telnyxRow: PeerRow = {
  name: "Telnyx",
  async start(t, _now, mediaHost) {
    const server = await startTelnyx();
    t.after(() => server.close());
    addNumber(server.account, SENDER, { messaging_profile_id: addProfile(server.account).id });
    server.behave("any", { when: "on_request" });
    return {
      hosts: { "api.telnyx.com": server.url, "media.telnyx.com": mediaHost.url },
      open: () => ({
        sender: SENDER,
        account: {
          kind: "telnyx",
          credentials: { api_key: server.apiKey, public_key: server.publicKey },
          settings: {},
        },
        taken: async () =>
          server.taken.map(({ params }) => ({
            to: params.to,
            text: params.text ?? "",
            media: params.media_urls ?? [],
          })),
        async behave(phone, wrong) {
          const [first, ...more] = WRONGS[wrong].map((one) => ({ when: "on_request" as const, ...one }));
          server.behave(phone, first!, ...more);
          return undefined;
        },
        async report(phone, status, times = 1) {
          const text = server.taken.findLast(({ params }) => params.to === phone)!;
          const errors = status === "undelivered" ? [{ code: "40008", title: "Undeliverable" }] : [];
          await server.release(text, [{ status: STATUSES[status], errors }], times);
        },
        async receive(from, text, id) {
          await server.receive({ from, to: SENDER, text, id });
        },
        async receiveMedia(from, text, id, names) {
          const media = names.map((name) => ({ url: `https://media.telnyx.com/${name}`, content_type: "image/png" }));
          await server.receive({ from, to: SENDER, text, id, media });
        },
        async forge(from, text) {
          const webhook = server.inbound({ from, to: SENDER, text });
          return server.post({ ...webhook, body: webhook.body.replace('"received_at"', ' "received_at"') });
        },
        async changeCredentials() {
          server.changeKey("KEYnewer0123456789");
          return { api_key: "KEYnewer0123456789", public_key: server.publicKey };
        },
      }),
    };
  },
};
