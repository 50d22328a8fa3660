import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley } from "#test/support/api/parley.ts";
import { aBackup, lift } from "#test/support/database/restore.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("organizations that were archived or restored since the backup are so again, by the last word", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const make = async (name: string) => (await api.post("/v1/organizations", { name })).body.unique_id as string;
  const change = async (id: string, archived: boolean) =>
    assert.equal((await api.patch(`/v1/organizations/${id}`, { archived })).status, 200);
  const ids = { archived: await make("Archived"), back: await make("Back"), both: await make("Both") };
  await change(ids.back, true);
  await make("Untouched");
  const backup = await aBackup(t, api.config, api.databaseUrl);
  await change(ids.archived, true);
  await change(ids.back, false);
  await change(ids.both, false);
  await change(ids.both, true);

  const { url, ctx } = await backup();
  const client = await openClient(t, url);
  const archived = async () =>
    (
      await client.query("select distinct name from organizations where archived_at is not null order by name")
    ).rows.map(({ name }) => name);
  assert.deepEqual(await archived(), ["Back"]);
  // Without a worker no journal says that it is whole.
  const account = await lift(ctx, api.config, { acceptMissing: true });
  assert.equal(account.lifted, true);
  assert.deepEqual(await archived(), ["Archived", "Both"]);
});
