import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import { emptyDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("what was stored of a call's speech-to-text has its new name, and a call without it stays as it was", async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url, { names: migrationNames().filter((name) => name < "0042") });
  const sql = await openClient(t, url);
  // Only the details matter here, not the calls that they belong to.
  await sql.query(
    "select set_config('app.tenant', '*', false), set_config('session_replication_role', 'replica', false)",
  );
  const former = randomUUID();
  const none = randomUUID();
  await sql.query(
    `insert into call_details (tenant_id, call_id, latencies, usage, cost) values
       ($1, $2, '[{"atMs": 1400, "earsMs": 80}]', '{"earsMs": 45000, "inputTokens": 7}', '{"total": "0.01", "ears": "0.005775"}'),
       ($1, $3, '[]', null, null)`,
    [randomUUID(), former, none],
  );
  await migrate(url);
  const { rows } = await sql.query(
    "select call_id, latencies, usage, cost from call_details order by usage nulls last",
  );
  assert.deepEqual(rows, [
    {
      call_id: former,
      latencies: [{ atMs: 1400, speechToTextMs: 80 }],
      usage: { inputTokens: 7, speechToTextMs: 45_000 },
      cost: { total: "0.01", transcription: "0.005775" },
    },
    { call_id: none, latencies: [], usage: null, cost: null },
  ]);
});
