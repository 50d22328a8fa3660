import assert from "node:assert/strict";
import { test } from "node:test";
import { type Behavior, startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { withOutages } from "#test/support/agents/model-outages.ts";
import { isSample } from "#test/support/source/draw.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say, seeded, spread } from "./load.ts";
import { options, scenario, size, wants } from "./scenario.ts";
import { startWorld } from "./world.ts";

/** What an answer takes at most that comes at all; a hang costs as much. */
const TIMEOUT_MS = 3_000;
const SHARE = 0.3;
/** Below what two processes carry, which have ten turns and extractions under way each: a queue is not what is measured. */
const TEXTS_A_SECOND = 8;

const EXTRACTED = JSON.stringify({ extracted_fields: {}, evidence: {}, lead_outcome: "talking", objective_met: false });

/** By nearest rank, of sorted times. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!;

/** An answer that says to which text it is, and an extraction. */
const well = (body: Record<string, unknown>): Behavior => {
  const { messages = [] } = body as { messages?: { role: string; content: unknown }[] };
  const asked = /Question (\d+)/.exec(JSON.stringify(messages.findLast(({ role }) => role === "user")?.content))?.[1];
  return {
    kind: "by_purpose",
    answer: { kind: "answer", text: `Answer ${asked}.` },
    json: { kind: "answer", text: EXTRACTED },
  };
};

test("a language model fails at a share of its requests", async (t) => {
  if (!wants("F49")) return;
  const model = await startLanguageModelServer();
  t.after(() => model.close());
  const world = await startWorld(t, {
    workers: 2,
    env: { PARLEY_LLM_BASE_URL: model.url, PARLEY_LLM_MODEL: "stand-in", PARLEY_LLM_TIMEOUT_MS: String(TIMEOUT_MS) },
  });
  await noon(world);

  await scenario(t, "F49", "of a model's requests 30 % end by 429, 500, resets, hangs and half streams", async () => {
    const turns = size(options.texts, isSample ? 30 : 1_000, 1_000);
    const phones = newPhones(world, turns);
    await aRun(world, { phones, agent: { drip_schedule: [], reply_delay_ms: 0 } });
    await drained(world);
    const { behavior, drawn } = withOutages(SHARE, seeded(options.seed), well);
    model.behave(behavior);
    const asks = phones.map((phone, i) => ({ phone, text: `Question ${i}` }));
    await spread(asks, (turns / TEXTS_A_SECOND) * 1_000, ({ phone, text }) => say(world, phone, text), world.ending);
    await drained(world);

    const got = await world.sql<{ phone: string; texts: string[]; ms: number | null }>(
      `select thread.phone, array(select text from simulator_texts it where it.handset = thread.phone and it.direction = 'to_handset'
           order by it.seq offset 1) as texts,
         (select extract(epoch from min(reply.created_at) filter (where reply.kind = 'reply')
             - min(reply.created_at) filter (where reply.direction = 'inbound'))::float8 * 1000
           from messages reply where reply.tenant_id = thread.tenant_id and reply.campaign_id = thread.campaign_id
             and reply.thread_id = thread.id) as ms
       from threads thread where thread.phone = any($1::text[])`,
      [phones],
    );
    const textsOf = new Map(got.map(({ phone, texts }) => [phone, texts]));
    const wrong = asks.filter(({ phone }, i) => String(textsOf.get(phone)) !== `Answer ${i}.`);
    const doubles = got.filter(({ texts }) => texts.length > 1).length;
    const unanswered = got.filter(({ texts }) => texts.length === 0).length;
    const untrue = got.flatMap(({ texts }) => texts).filter((text) => !/^Answer \d+\.$/.test(text));
    const times = got.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
    const found = {
      turns,
      unanswered,
      doubles,
      untrue: untrue.length,
      p50Ms: Math.round(quantile(times, 0.5)),
      p99Ms: Math.round(quantile(times, 0.99)),
      maxMs: Math.round(times.at(-1)!),
    };
    assert.deepEqual([unanswered, doubles, untrue], [0, 0, []]);
    assert.deepEqual(wrong, [], "each is answered what it asked");
    return {
      tried: { turns, share: SHARE, drawn },
      found: { ...found, ...(await assertPromises(world)) },
      says: `${turns} contacts were each answered once, with nothing untrue said; half of them within ${found.p50Ms} ms, 99 % within ${found.p99Ms} ms, the last after ${found.maxMs} ms.`,
    };
  });
});
