import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aBackup, lift } from "#test/support/database/restore.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("numbers that somebody had rest, or not any more, since the backup do so again, by the last word", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { organizationId, userId } = await aVoiceAgent(api);
  const buy = async () =>
    (
      await api.post("/v1/voice/phone-numbers/create", {
        area_code: "212",
        organization_id: organizationId,
        user_id: userId,
      })
    ).body.phone_number as string;
  const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const rest = async (number: string, resting_until: string | null) =>
    assert.equal(
      (await api.patch(`/v1/voice/phone-numbers/${encodeURIComponent(number)}`, { resting_until })).status,
      200,
    );
  const numbers = { rested: await buy(), back: await buy(), both: await buy(), untouched: await buy() };
  await rest(numbers.back, until(5));
  await rest(numbers.untouched, until(5));
  const backup = await aBackup(t, api.config, api.databaseUrl);
  const last = until(3);
  await rest(numbers.rested, last);
  await rest(numbers.back, null);
  await rest(numbers.both, null);
  await rest(numbers.both, last);

  const { url, ctx } = await backup();
  const client = await openClient(t, url);
  const resting = async () =>
    Object.fromEntries(
      (
        await client.query("select number, resting_until, reason from number_rests where resting_until > now()")
      ).rows.map((row) => [row.number, [row.resting_until.toISOString(), row.reason]]),
    );
  assert.deepEqual(Object.keys(await resting()).sort(), [numbers.back, numbers.untouched].sort());
  const account = await lift(ctx, api.config, { acceptMissing: true });
  assert.equal(account.lifted, true);
  const after = await resting();
  assert.deepEqual(Object.keys(after).sort(), [numbers.rested, numbers.both, numbers.untouched].sort());
  assert.deepEqual(
    [after[numbers.rested], after[numbers.both]],
    [
      [last, "asked"],
      [last, "asked"],
    ],
  );
});
