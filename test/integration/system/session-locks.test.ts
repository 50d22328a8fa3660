import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { sessionLocks } from "#store/system/session-locks.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { startProxy } from "#test/support/database/tcp-proxy.ts";
import { until } from "#test/support/time/until.ts";

const [PROCESS, ANOTHER, THING, OTHER_THING] = [1, 2, 3, 4].map(
  (n) => `01900000-0000-7000-8000-00000000000${n}` as Uuid,
) as [Uuid, Uuid, Uuid, Uuid];
/** As in the service, in a tenth of the time. */
const QUICK = { answerWithinMs: 1_000, askEveryMs: 100 };

test("a lock is one process's until that gives it back, or ends", async (t) => {
  const url = await cloneDatabase(t);
  let lost = 0;
  const [first, second] = await Promise.all([PROCESS, ANOTHER].map((id) => sessionLocks(url, id, () => lost++)));
  t.after(() => second!.end());
  assert.deepEqual([await first!.take(THING), await first!.take(OTHER_THING)], [true, true]);
  assert.deepEqual([await second!.take(THING), await second!.take(OTHER_THING)], [false, false]);
  await first!.give(THING);
  assert.deepEqual([await second!.take(THING), await second!.take(OTHER_THING)], [true, false]);
  await first!.end();
  assert.equal(await second!.take(OTHER_THING), true);
  assert.equal(lost, 0);
});

test("a database that answers no more, with the connection open, has lost the locks: once, also with nothing asked of it", async (t) => {
  const url = await cloneDatabase(t);
  const { hostname: host, port } = new URL(url);
  const proxy = await startProxy(t, { host, port: Number(port) });
  let lost = 0;
  const locks = await sessionLocks(proxy.url(url), PROCESS, () => lost++, QUICK);
  t.after(() => locks.end());
  assert.equal(await locks.take(THING), true);
  // Nothing is closed: to the socket all is well.
  proxy.set({ partition: true });
  const asked = locks.take(OTHER_THING).then(
    () => "taken",
    () => "not known",
  );
  await until("the loss is known", async () => lost > 0);
  assert.equal(await asked, "not known");
  await assert.rejects(locks.take(THING), /is lost/);
  // It gives back nothing, and says nothing again.
  await locks.give(THING);
  proxy.set({});
  const others = await sessionLocks(url, ANOTHER, () => {});
  t.after(() => others.end());
  await until("another process has it", () => others.take(THING));
  assert.equal(lost, 1);
});

test("a database that is not there when the connection is opened says so, and has lost nothing", async (t) => {
  const url = await cloneDatabase(t);
  const { hostname: host, port } = new URL(url);
  const proxy = await startProxy(t, { host, port: Number(port) });
  proxy.set({ partition: true });
  let lost = 0;
  await assert.rejects(sessionLocks(proxy.url(url), PROCESS, () => lost++, QUICK));
  assert.equal(lost, 0);
});
