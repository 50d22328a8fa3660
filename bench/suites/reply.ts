import { setTimeout as pause } from "node:timers/promises";
import { leadsOf, phoneOf } from "#app/capacity/people.ts";
import { until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { futureCampaign } from "../leads.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, quantile, timed } from "../suite.ts";
import { textOf } from "../words.ts";

const PATIENCE_MS = 120_000;
/** At this pace nobody waits for anybody: what is left is how long an answer takes. */
const CALM_EVERY_MS = 50;

/** From a contact's text to the agent's committed answer, with the offline agent and no pause for thought. */
export async function run(bench: Bench): Promise<void> {
  const [calm, burst] = bench.small ? [5, 20] : [200, 1_000];
  const service = await startService(bench);
  try {
    const target = await futureCampaign(service, { reply_delay_ms: 0 });
    await service.post(`/v1/campaigns/${target.campaignId}/leads`, { clients: leadsOf(calm + burst) });
    await service.startWorker();
    await service.post("/v1/simulator/clock", { to: new Date(target.beginAt.getTime() + 60_000).toISOString() });
    await until("all are delivered", async () => (await countOf(service, "delivered")) >= calm + burst, PATIENCE_MS);

    for (let i = 0; i < calm; i++) {
      await text(service, i);
      await pause(CALM_EVERY_MS);
    }
    await until("the calm ones are answered", async () => (await answers(service)).length >= calm, PATIENCE_MS);
    const alone = await answers(service);
    const { seconds } = await timed(async () => {
      const next = Array.from({ length: burst }, (_, i) => calm + i).values();
      const texting = async () => {
        for (const i of next) await text(service, i);
      };
      await Promise.all(Array.from({ length: 16 }, texting));
      await until("all are answered", async () => (await answers(service)).length >= calm + burst, PATIENCE_MS);
    });
    const raw = await timed(() => answerRaw(service, burst));
    bench.figure({ name: "burst", value: burst / seconds, unit: "answers/s", baseline: burst / raw.seconds });
    bench.figure({
      name: "alone p50",
      value: quantile(alone, 0.5),
      unit: "ms",
      baseline: (raw.seconds / burst) * 1000,
    });
    bench.figure({ name: "alone p99", value: quantile(alone, 0.99), unit: "ms", baseline: null });
  } finally {
    await service.stop();
  }
}

const text = (service: Service, i: number) =>
  service.post(`/v1/simulator/handsets/${encodeURIComponent(phoneOf(i))}/messages`, {
    to: SENDER,
    text: textOf(i),
  });

async function countOf({ sql }: Service, state: string): Promise<number> {
  return (await sql.query("select coalesce(sum(n), 0)::int as n from campaign_counts where state = $1", [state]))
    .rows[0].n;
}

/** Milliseconds from each text to its answer, both in the tenant's time. */
async function answers({ sql }: Service): Promise<number[]> {
  const { rows } = await sql.query(
    `select extract(epoch from reply.created_at - handset.at) * 1000 as ms from messages reply
     join simulator_texts handset on handset.handset = reply.phone and handset.direction = 'from_handset'
     where reply.kind = 'reply'`,
  );
  return rows.map((row) => Number(row.ms));
}

/** The same rows by hand: what came in, the text, and the answer, in the two transactions that it takes. */
async function answerRaw({ sql }: Service, count: number): Promise<void> {
  const { rows } = await sql.query(
    "select tenant_id, campaign_id, id, lane_id, phone, next_step from threads where state <> 'scheduled' limit $1",
    [count],
  );
  const message = `insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, text,
    created_at, updated_at) values ($1, $2, gen_random_uuid(), $3, $4, $5, $6, $7, $8, $9, 'Sure, what is it about?', now(), now())`;
  for (const [i, row] of rows.entries()) {
    const thread = [row.tenant_id, row.campaign_id, row.id];
    const place = [...thread, row.lane_id, row.phone];
    await sql.query("begin");
    await sql.query({
      name: "raw-inbound",
      text: `insert into inbound_texts (tenant_id, carrier, carrier_id, sender, recipient, text, sent_at, received_at, outcome)
             values ($1, 'raw', $2, $3, $4, 'Sure, what is it about?', now(), now(), 'conversation')`,
      values: [row.tenant_id, `raw_${i}`, row.phone, SENDER],
    });
    const values = [...place, "inbound", "inbound", row.next_step + 1_000, "received"];
    await sql.query({ name: "raw-message", text: message, values });
    await sql.query({
      name: "raw-thread",
      text: `update threads set last_inbound_at = now(), next_step = next_step + 1, updated_at = now()
             where tenant_id = $1 and campaign_id = $2 and id = $3`,
      values: thread,
    });
    await sql.query("commit");
    await sql.query("begin");
    const answer = [...place, "outbound", "reply", row.next_step + 1_001, "accepted"];
    await sql.query({ name: "raw-message", text: message, values: answer });
    await sql.query({
      name: "raw-answered",
      text: `update threads set answered_step = next_step, next_step = next_step + 1, updated_at = now()
             where tenant_id = $1 and campaign_id = $2 and id = $3`,
      values: thread,
    });
    await sql.query("commit");
  }
}
