import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import type { PeerRow, Wrong } from "#test/support/carriers/peer.ts";

/** The simulated phones' own words for what goes wrong, or why nothing does. */
const WRONGS: Record<Wrong, { behavior: string } | { reason: string }> = {
  taken_then_error: { behavior: "lost_reply" },
  taken_then_reset: { behavior: "lost_reply" },
  error: { reason: "what it does not take it says so" },
  rate_limited: { behavior: "rate_limited" },
  opted_out: { reason: "it keeps no opt-outs of its own" },
  unknown_code: { reason: "it refuses nothing" },
  receipt_first: { reason: "it reports what it has answered" },
};

/** The simulator has no wire: what it brings comes in by the operations that its deliveries call. */
export const simulatorRow: PeerRow = {
  name: "Simulator",
  async start() {
    return {
      hosts: {},
      open: ({ ctx, tenantId, query }) => ({
        sender: SENDER,
        account: undefined,
        async taken() {
          const rows = await query(
            "select handset, text, media_urls from simulator_texts where direction = 'to_handset' order by seq",
          );
          return rows.map(({ handset, text, media_urls }) => ({
            to: String(handset),
            text: String(text),
            media: (media_urls ?? []) as string[],
          }));
        },
        async behave(phone, wrong) {
          const how = WRONGS[wrong];
          if ("reason" in how) return how.reason;
          await query("insert into simulator_handsets (tenant_id, phone, behavior) values ($1, $2, $3)", [
            tenantId,
            phone,
            how.behavior,
          ]);
          return undefined;
        },
        async report(phone, status, times = 1) {
          const [row] = await query(
            "select ref from simulator_texts where handset = $1 and ref is not null order by seq desc",
            [phone],
          );
          for (let n = 0; n < times; n++) await recordReceipts(ctx, tenantId, [{ ref: String(row!.ref), status }]);
        },
        receive: (from, text, id) =>
          receiveMessage(ctx, tenantId, {
            carrier: "simulator",
            carrierId: id,
            from,
            to: SENDER,
            text,
            sentAt: new Date(),
          }),
        forge: async () => "it has no webhooks",
        changeCredentials: async () => "it has no credentials",
      }),
    };
  },
};
