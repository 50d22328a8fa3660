import assert from "node:assert/strict";
import { test } from "node:test";
import { aPerson, PASSWORD, signIn } from "#test/support/accounts/person.ts";
import { startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { until } from "#test/support/time/until.ts";

test("a sign-in beside the adding of a first factor waits for it, and lacks that factor then", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const ann = await aPerson(api, "admin");
  const [adding, sql] = [await openClient(t, api.databaseUrl), await openClient(t, api.databaseUrl)];
  const { rows } = await sql.query("select tenant_id, user_id from logins where email = $1", [ann.email]);
  const user = [rows[0].tenant_id, rows[0].user_id];

  // What adds a factor: it locks the user, adds the factor, ends the sessions that it sees, and is committed.
  await adding.query("begin");
  await adding.query("select from users where tenant_id = $1 and id = $2 for no key update", user);
  await adding.query(
    `insert into factors (tenant_id, id, user_id, kind, name, created_at, confirmed_at, credential, public_key, sign_count, transports)
     values ($1, gen_random_uuid(), $2, 'passkey', 'Key', now(), now(), 'AQ', '\\x02', 0, '{}')`,
    user,
  );
  let isOver = false;
  const signing = signIn(api, ann.email, PASSWORD).finally(() => {
    isOver = true;
  });
  await until("the sign-in waits for a lock, or is over", async () => {
    const waiting = await sql.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from users%'",
    );
    return isOver || waiting.rowCount === 1;
  });
  await adding.query("delete from sessions where tenant_id = $1 and user_id = $2", user);
  await adding.query("commit");

  const { status, body } = await signing;
  assert.deepEqual([status, body.session?.pending], [201, "factor"], JSON.stringify(body));
});
