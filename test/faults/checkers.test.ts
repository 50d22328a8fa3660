import assert from "node:assert/strict";
import { test } from "node:test";
import { assertPromises, CANARY, type Findings, findings } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say } from "./load.ts";
import { startWorld } from "./world.ts";

const OURS = "(select id from tenants where name <> 'Another' and mode = 'test')";
const COLUMNS = "tenant_id, handset, number, direction, text, at, ref, campaign, step, purpose";
const STARTED = "select id from messages where step = 0 and direction = 'outbound' and state = 'delivered' limit 1";
const STOPPER = "(select phone from consents where opted_out_at is not null limit 1)";

/** How each promise is broken by hand, in a transaction that is rolled back. What the carrier alone counts is its own tests' business. */
const BREAKS: readonly [keyof Findings, string, string][] = [
  [
    "duplicates",
    "a text is in the carrier's book twice",
    `insert into simulator_texts (${COLUMNS}) select ${COLUMNS} from simulator_texts where ref is not null limit 1`,
  ],
  [
    "lost",
    "a recipient is skipped, and nothing says why",
    `with it as (update messages set state = 'suppressed', rule = 'empty' where id = (${STARTED}) returning thread_id, id),
       gone as (update attempts set state = 'not_sent' where message_id in (select id from it))
     update threads set state = 'skipped' where id in (select thread_id from it)`,
  ],
  ["causeless", "everybody is skipped after their text", "update threads set state = 'skipped'"],
  [
    "causeless",
    "a text is suppressed as if its contact had said STOP",
    `update messages set state = 'suppressed', rule = 'opted_out' where id = (${STARTED})`,
  ],
  ["wrongOptOuts", "a STOP is forgotten", "update consents set opted_out_at = null"],
  [
    "wrongOptOuts",
    "a phone is opted out that said nothing",
    `update consents set opted_out_at = now() where opted_out_at is null`,
  ],
  [
    "wrongOptOuts",
    "a contact who said STOP stays a recipient",
    "update threads set state = 'delivered' where state = 'opted_out'",
  ],
  [
    "unaccounted",
    "the ledger forgets what the carrier took",
    "update attempts set state = 'rejected' where state = 'accepted'",
  ],
  [
    "neverTaken",
    "the ledger has as accepted what the carrier never took",
    "delete from simulator_texts where ref is not null",
  ],
  ["belowReceipt", "a receipt is lost", `update messages set state = 'accepted' where id = (${STARTED})`],
  [
    "belowReceipt",
    "a receipt does not reach its recipient",
    "update threads set state = 'sent' where state = 'delivered'",
  ],
  ["unrest", "a text stays on its way", `update messages set state = 'sending' where id = (${STARTED})`],
  [
    "unrest",
    "an attempt stays open",
    "update attempts set state = 'uncertain' where ref = (select ref from attempts limit 1)",
  ],
  [
    "unrest",
    "a text is held for ever",
    `update messages set state = 'held', due_at = 'infinity' where id = (${STARTED})`,
  ],
  ["unrest", "a recipient waits for nothing", "update threads set state = 'scheduled' where state = 'delivered'"],
  ["unrest", "counts are wrong", "delete from campaign_counts"],
  [
    "illegalSteps",
    "a text comes after an opt-out's commit",
    `insert into simulator_texts (tenant_id, handset, number, direction, text, at, purpose)
     select ${OURS}, ${STOPPER}, '+12125550100', 'to_handset', 'Hello again', now(), 'reply'`,
  ],
  [
    "illegalSteps",
    "a call comes after an opt-out's commit",
    `insert into simulator_calls (tenant_id, seq, handset, number, direction, at, ends_by)
     select ${OURS}, 0, ${STOPPER}, '+12125550100', 'to_handset', now(), now()`,
  ],
  ["illegalSteps", "a receipt lowers a message", `update messages set state = 'sent' where id = (${STARTED})`],
  [
    "takenInTwice",
    "a contact's text is in its conversation twice",
    "update messages set carrier_id = 'one' where direction = 'inbound'",
  ],
  ["acknowledgedButMissing", "an acknowledged text is gone", "delete from inbound_texts"],
  [
    "unanswered",
    "an answer was never begun",
    "with gone as (delete from messages where kind = 'reply') update threads set answered_step = null",
  ],
  ["silences", "an answer was never written", "delete from messages where kind = 'reply'"],
  [
    "answeredTwice",
    "a text is answered twice, in a conversation with a STOP",
    `insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, created_at, updated_at)
     select tenant_id, campaign_id, gen_random_uuid(), thread_id, lane_id, phone, direction, kind, step + 100, state, created_at, updated_at
     from messages where kind = 'reply' and phone = ${STOPPER}`,
  ],
  [
    "foreign",
    "another tenant's words are in a text of ours",
    `update messages set text = '${CANARY}' where tenant_id = ${OURS}`,
  ],
  [
    "foreign",
    "another tenant's words are in an event of ours",
    `update events set data = '{"reason": "${CANARY}"}' where tenant_id = ${OURS}`,
  ],
  [
    "foreign",
    "a drip goes out in another's name",
    `update simulator_texts set text = 'Hello', purpose = 'drip' where tenant_id <> ${OURS}`,
  ],
  ["wrongTotals", "a campaign counts one recipient too many", "update campaigns set total = total + 1"],
  [
    "heldJobs",
    "a job is locked and nobody has it",
    "with job as (select id from graphile_worker.add_job('drain-lane')) update graphile_worker._private_jobs set locked_at = now() - interval '1 minute'",
  ],
];

test("every promise that is broken by hand is found to be broken", async (t) => {
  const world = await startWorld(t, { workers: 1 });
  await noon(world);
  const agent = { reply_delay_ms: 0 };
  const { phones } = await aRun(world, { phones: newPhones(world, 8), agent });
  const others = await aRun(world, { api: world.other, phones: newPhones(world, 3), agent });
  await drained(world);
  await say(world, phones[0]!, "Yes, tell me more");
  await say(world, phones[1]!, "Yes, tell me more");
  await say(world, others.phones[0]!, `Yes, tell me more about ${CANARY}`, world.other);
  await drained(world);
  await say(world, phones[1]!, "STOP");
  await drained(world);
  await world.sql(
    "insert into graphile_worker._private_tasks (identifier) values ('drain-lane') on conflict do nothing",
  );
  const found = await assertPromises(world);
  assert.equal(found.taken, 8 + 3 + 3 + 1);
  for (const worker of world.workers) await worker.kill("SIGTERM");
  for (const [name, title, sql] of BREAKS) {
    await t.test(`${name}: ${title}`, async () => {
      assert.equal((await findings(world))[name], 0, "all is well before");
      await world.sql("begin");
      try {
        await world.sql(sql);
        assert.ok((await findings(world))[name] > 0);
      } finally {
        await world.sql("rollback");
      }
    });
  }
});
