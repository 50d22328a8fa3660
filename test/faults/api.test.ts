import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { BOOTSTRAP_KEY, client as clientOf, until } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { percentile } from "#test/support/messaging/ledger.ts";
import { startProcess } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, persist, say, seeded, spread, stopTimes } from "./load.ts";
import { options, promised, scenario, size, wants } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

test("instances of the api die", async (t) => {
  if (!wants("F06", "F07", "F45", "F46", "F47")) return;
  const env = { PARLEY_SIMULATOR_LATENCY_MS: "50", PARLEY_SIMULATOR_RATE: "1000" };
  const world = await startWorld(t, { workers: 2, env });
  await noon(world);

  /** Another instance, and a client of it. */
  const another = async (env: Record<string, string> = {}) => {
    const process = await world.startApi(env);
    return { process, api: clientOf(process.url!, BOOTSTRAP_KEY) };
  };

  await scenario(t, "F06", "kill -9 of the api while a campaign is posted", async () => {
    const random = seeded(options.seed);
    const times = size(options.kills, 3, 30);
    const parts = await anAgent(world.api);
    let [cut, done] = [0, 0];
    // The next one starts while the one before is used.
    let coming = another();
    for (let i = 0; i < times; i++) {
      const phones = newPhones(world, 400);
      const campaign_id = `posted-${i}`;
      const body = {
        campaign_id,
        campaign_name: "Posted",
        organization_id: parts.organizationId,
        user_id: parts.userId,
        sms_agent_id: parts.agentId,
        svc_sms_number: SENDER,
        contacts: phones.map((phone_number) => ({ phone_number })),
      };
      const { process, api } = await coming;
      if (i + 1 < times) coming = another();
      coming.catch(() => {});
      const first = api.post("/v1/campaigns", body).then(
        () => "answered",
        () => "cut",
      );
      await pause(random() * 120);
      await process.kill();
      if ((await first) === "cut") cut++;
      else done++;
      await persist(() => world.api.post("/v1/campaigns", body), world.ending);
      world.acknowledged.campaigns.set(campaign_id, phones);
      const rows = await world.sql("select total from campaigns where campaign_id = $1", [campaign_id]);
      assert.deepEqual(rows, [{ total: 400 }], "one campaign, with each contact once");
    }
    await drained(world);
    return {
      tried: { campaigns: times, cut, answered: done },
      found: await assertPromises(world),
      says: `${cut} of ${times} posts were cut off by the api's death; repeated under the same campaign_id each made one campaign.`,
    };
  });

  await scenario(t, "F07", "kill -9 of the api between its commit and its answer", async () => {
    const { process, api } = await another();
    const phone = newPhones(world, 1)[0]!;
    await aRun(world, { phones: [phone], agent: { drip_schedule: [] } });
    await drained(world);
    const path = `/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`;
    const post = (by: typeof api) =>
      by.post(path, { to: SENDER, text: "Yes, tell me more" }, { headers: { "idempotency-key": "once" } });
    // Its answer is written down last: held there, the text itself is committed and nobody knows.
    const holder = new pg.Client(world.databaseUrl);
    await holder.connect();
    await holder.query("begin; lock table simulator_texts in share mode");
    const first = post(api).catch(() => "cut");
    await until("the key is taken", async () => {
      const rows = await world.sql("select from idempotency_keys where key = 'once'");
      return rows.length === 1;
    });
    // A lock of the row could be overtaken by the api's own update; this one is held before the text can be committed.
    const second = new pg.Client(world.databaseUrl);
    await second.connect();
    await second.query("begin; lock table idempotency_keys in share mode");
    await holder.query("commit");
    await until("the text is committed", async () => {
      const rows = await world.sql("select from simulator_texts where handset = $1 and direction = 'from_handset'", [
        phone,
      ]);
      return rows.length === 1;
    });
    await process.kill();
    assert.equal(await first, "cut");
    await second.end();
    await holder.end();
    const { status } = await post(world.api);
    // The server had the answer's own statement in hand and may have finished it without its client.
    assert.ok(status === 201 || status === 409, `${status}`);
    await drained(world);
    const rows = await world.sql("select from inbound_texts where sender = $1", [phone]);
    assert.equal(rows.length, 1, "it came in once");
    return {
      tried: { repeatedUnderItsKey: 1 },
      found: { ...(await assertPromises(world)), toldTheSecondTime: status },
      says: `the text was committed and its answer lost; the repeat under its Idempotency-Key was answered with ${status} and made no second text.`,
    };
  });

  await scenario(
    t,
    "F45",
    "the same campaign posted to two instances at once, and its lane's job enqueued by everybody",
    async () => {
      const { process, api } = await another();
      const parts = await anAgent(world.api);
      const phones = newPhones(world, 300);
      const body = {
        campaign_id: "twice",
        campaign_name: "Twice",
        organization_id: parts.organizationId,
        user_id: parts.userId,
        sms_agent_id: parts.agentId,
        svc_sms_number: SENDER,
        contacts: phones.map((phone_number) => ({ phone_number })),
      };
      const answers = await Promise.all(
        [world.api, api, world.api, api].map((by) => persist(() => by.post("/v1/campaigns", body), world.ending)),
      );
      world.acknowledged.campaigns.set("twice", phones);
      await drained(world);
      await process.kill();
      const found = await assertPromises(world);
      const rows = await world.sql("select total from campaigns where campaign_id = 'twice'");
      assert.deepEqual(rows, [{ total: 300 }]);
      return {
        tried: { posts: answers.length, statuses: answers.map(({ status }) => status) },
        found,
        says: "four posts of one campaign at once by two instances made one, with one message for each contact.",
      };
    },
  );

  await scenario(
    t,
    "F46",
    "campaigns paused and deleted at any moment while their texts are being claimed",
    async () => {
      const random = seeded(options.seed);
      const moments = size(options.kills, 8, 100);
      const TEXTS = 2_000;
      const takenOf = async (campaignId: string, after = "0") =>
        (
          await world.sql<{ n: number; last: string }>(
            `select count(*)::int as n, coalesce(max(seq), 0) as last from simulator_texts
           where campaign = $1 and direction = 'to_handset' and seq > $2::bigint`,
            [campaignId, after],
          )
        )[0]!;
      const atTheAnswer = new Map<string, { n: number; last: string }>();
      for (let i = 0; i < moments; i++) {
        const verb = i % 2 === 0 ? "pause" : "delete";
        const { campaignId } = await aRun(world, { phones: newPhones(world, TEXTS), agent: { drip_schedule: [] } });
        // By turns at any moment, and surely in the middle: how fast texts leave is the machine's.
        if (i % 4 < 2) await pause(random() * 700);
        else await until("some have left", async () => (await takenOf(campaignId)).n > 0);
        const path = `/v1/campaigns/${campaignId}`;
        const { status } = await (verb === "pause" ? world.api.post(`${path}/pause`) : world.api.delete(path));
        assert.equal(status, 200);
        atTheAnswer.set(campaignId, await takenOf(campaignId));
        world.acknowledged.stopped.set(campaignId, verb);
      }
      await drained(world);
      // That no attempt began after the commit, at whatever moment, is what faults.steps would say.
      const found = await assertPromises(world);
      for (const [campaignId, { last }] of atTheAnswer)
        assert.equal((await takenOf(campaignId, last)).n, 0, "nothing leaves after the answer");
      const inTheMiddle = [...atTheAnswer.values()].filter(({ n }) => n > 0 && n < TEXTS).length;
      assert.ok(inTheMiddle > 0, "some were stopped in the middle");
      return {
        tried: { campaigns: moments, texts: TEXTS * moments, inTheMiddle },
        found: { ...found, afterTheAnswer: 0 },
        says: `${moments} campaigns paused or deleted, ${inTheMiddle} of them in the middle of their texts: no attempt began after the commit, none left after the answer.`,
      };
    },
  );

  await scenario(t, "F47", "a key revoked in a burst of requests to two instances", async () => {
    const { process, api } = await another();
    const made = await world.api.post("/v1/api-keys", { name: "Burst", scopes: ["read"] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const key = made.body.api_key as string;
    const seen: { by: typeof api; at: number; status: number }[] = [];
    const over = new AbortController();
    const both = [world.api, api];
    const bursts = both.map(async (by) => {
      while (!over.signal.aborted) {
        // A stalled answer says nothing of when its key was good: what counts is when it was asked.
        const at = performance.now();
        const { status } = await by.get("/v1/me", { key });
        seen.push({ by, at, status });
      }
    });
    await until("the key is good at both", async () =>
      both.every((by) => seen.some((answer) => answer.by === by && answer.status === 200)),
    );
    const gone = await world.api.delete(`/v1/api-keys/${made.body.key_id}`);
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
    const revokedAt = performance.now();
    // By then each has forgotten what it knew of the key before it was revoked, however late a machine is: operations/accounts/authenticate.ts.
    const isLate = ({ at, status }: { at: number; status: number }) => status === 401 && at > revokedAt + 1_000;
    await until("the key is refused at both a second later", async () =>
      both.every((by) => seen.some((answer) => answer.by === by && isLate(answer))),
    );
    over.abort();
    await Promise.all(bursts);
    await process.kill();
    const lastGood = Math.max(...seen.filter(({ status }) => status === 200).map(({ at }) => at - revokedAt));
    assert.ok(lastGood < 1_000, `still good after ${lastGood} ms`);
    return {
      tried: { requests: seen.length },
      found: { lastGoodAfterMs: Math.round(Math.max(0, lastGood)) },
      says: `${seen.length} requests to two instances: the last one that the revoked key was good for came ${Math.round(Math.max(0, lastGood))} ms after the revocation.`,
    };
  });
});

/** F31: from a handset's text to its acknowledgement, and to the commit of its STOP, p99. */
const FLOODED_WITHIN_MS = promised(1_000);

test("a flood of texts while a campaign goes out", async (t) => {
  if (!wants("F31")) return;
  const world: World = await startWorld(t, {
    workers: 2,
    env: { PARLEY_SIMULATOR_RATE: "100", PARLEY_DATABASE_POOL: "20" },
  });
  await noon(world);
  await scenario(t, "F31", "inbound at a rate that people do not reach, while a campaign goes out", async () => {
    const rate = size(options.rate, 60, 500);
    const seconds = size(options.minutes * 60, 6, 60);
    const { phones } = await aRun(world, { phones: newPhones(world, rate * seconds), agent: { drip_schedule: [] } });
    const acks: number[] = [];
    const saidAt = new Map<string, number>();
    const flood = spread(
      phones,
      seconds * 1_000,
      async (phone) => {
        const begin = performance.now();
        const isStop = phone.endsWith("7");
        if (isStop) saidAt.set(phone, Date.now());
        await say(world, phone, isStop ? "STOP" : "ok");
        acks.push(performance.now() - begin);
      },
      world.ending,
    );
    await flood;
    await drained(world);
    const found = await assertPromises(world);
    const stops = await stopTimes(world, saidAt);
    const ackMs = { p50: Math.round(percentile(acks, 0.5)), p99: Math.round(percentile(acks, 0.99)) };
    const stopMs = { p50: Math.round(percentile(stops, 0.5)), p99: Math.round(percentile(stops, 0.99)) };
    const slow = `acknowledged in ${ackMs.p99} ms, STOPs committed in ${stopMs.p99} ms (p99)`;
    assert.ok(ackMs.p99 < FLOODED_WITHIN_MS && stopMs.p99 < FLOODED_WITHIN_MS, slow);
    return {
      tried: { texts: phones.length, perSecond: rate, stops: stops.length },
      found: { ...found, ackMs, stopMs },
      says: `${phones.length} texts at ${rate}/s beside a campaign: ${slow}; none of the ${stops.length} STOPs was followed by a text.`,
    };
  });
});

test("a process that may not start", async (t) => {
  await scenario(t, "F48", "the root of all keys missing, too short, not to be found, or another's", async (t) => {
    const exits: (string | undefined)[] = [];
    const refused = async (env: Record<string, string>, why: RegExp) => {
      const process = await startProcess(t, "worker", env);
      await until("it ends", async () => process.ended() !== undefined);
      exits.push(process.ended());
      assert.match(process.said.join(""), why);
    };
    const nowhere = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    const wrong: Record<string, string>[] = [
      { PARLEY_SECRET_KEY: "short" },
      { PARLEY_SECRET_KEY: "", PARLEY_SECRET_KEY_FILE: "/nowhere/key" },
      { PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef", PARLEY_SECRET_KEY_FILE: "/nowhere/key" },
    ];
    await Promise.all(wrong.map((settings) => refused({ ...nowhere, ...settings }, /PARLEY_SECRET_KEY/)));
    // Well-formed, but not the one that the database was made with: a wrong setting, and one that a second machine makes for itself.
    const { databaseUrl } = await startWorld(t, { workers: 0 });
    const dataDir = aFolder("another");
    await Promise.all(
      ["f".repeat(32), ""].map((key) => {
        const another = { DATABASE_URL: databaseUrl, PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY: key };
        return refused(another, /is not the secret key that this database was made with/);
      }),
    );
    assert.deepEqual(exits, ["78", "78", "78", "78", "78"]);
    return {
      tried: { settings: exits.length },
      found: { exits },
      says: "each ended with 78 and one line that names the setting, before anything was served.",
    };
  });
});
