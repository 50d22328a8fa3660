import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "#app/roles/api.ts";
import type { LoggedEvent } from "#contract/system/events.ts";
import { follow, type Stream } from "#test/support/api/event-stream.ts";
import { client, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignIs } from "#test/support/messaging/handset.ts";
import { startBalancer } from "#test/support/processes/balancer.ts";

/** Half of them are with each of two nodes. */
const FOLLOWERS = 4;

/** What a browser does: it comes back by the balancer with the last id that it has, however its stream has ended. */
function follower(api: { url: string; key: string }) {
  const taken: LoggedEvent[] = [];
  let stream: Stream | undefined;
  let isOver = false;
  let begun = 0;
  let cut = 0;
  const done = (async () => {
    for (let lastId = "0"; !isOver; ) {
      const headers = { "x-api-key": api.key, "last-event-id": lastId };
      const mine = await until("a node takes it", () => follow(api, "", headers).catch(() => undefined));
      assert.equal(mine.status, 200);
      begun++;
      stream = mine;
      if (!(await mine.over) && !isOver) cut++;
      stream = undefined;
      taken.push(...mine.events);
      lastId = mine.lastId || lastId;
    }
  })();
  return {
    events: () => [...taken, ...(stream?.events ?? [])],
    found: () => ({ begun, cut }),
    async stop() {
      isOver = true;
      await stream?.stop();
      await done;
    },
  };
}

test("streams are followed over any node, and go on at another when theirs is stopped, without a gap and in order", async (t) => {
  const first = await startParley(t);
  const balancer = await startBalancer(t);
  const start = async () => {
    // For as long as it still takes connections the balancer may lead somebody back to it.
    const config = { ...first.config, shutdownGraceMs: 500 };
    const node = await startApi(config, first.databaseUrl);
    balancer.instances.add(node.url);
    await until("the balancer uses it", async () => balancer.uses(node.url));
    return node;
  };
  let nodes = [await start(), await start()];
  t.after(() => Promise.all(nodes.map((node) => node.stop())));
  const api = client(balancer.url, first.key);
  await aNoon(api);
  const followers = Array.from({ length: FOLLOWERS }, () => follower(api));
  let campaigns = 0;
  const makeCampaign = async () => {
    const contacts = Array.from({ length: 5 }, (_, i) => ({ phone_number: `+1212444${1_000 + 10 * campaigns + i}` }));
    const { campaignId } = await aCampaign(api, { contacts, campaign: { campaign_id: `c${campaigns++}` } });
    await campaignIs(api, campaignId, "completed");
  };
  for (let replaced = 0; replaced < 2; replaced++) {
    await makeCampaign();
    const [old, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
    const next = await start();
    // While others are sent what happens, and who was with the old one comes to them.
    await Promise.all([old.stop(), makeCampaign()]);
    balancer.instances.delete(old.url);
    nodes = [other, next];
  }
  await makeCampaign();
  const newest = async () => (await api.get("/v1/events?limit=1&after=0")).body.newest_seq as number;
  let log = 0;
  await until("nothing is added to the log any more", async () => {
    const before = log;
    log = await newest();
    return log > 0 && log === before;
  });
  await until("everybody has all of it", async () => followers.every(({ events }) => events().length >= log));
  for (const each of followers) {
    await each.stop();
    assert.deepEqual(
      each.events().map(({ seq }) => seq),
      Array.from({ length: log }, (_, i) => i + 1),
    );
    assert.equal(each.found().cut, 0, "a node that stops ends what it has sent");
  }
  const begun = followers.map(({ found }) => found().begun);
  assert.ok(begun.filter((times) => times > 1).length >= FOLLOWERS / 2, `streams of each: ${begun}`);
});
