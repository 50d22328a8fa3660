import assert from "node:assert/strict";
import { test } from "node:test";
import { aCarrier, accepted, aSending, drain, withCarrier } from "#test/support/messaging/sending.ts";

const PICTURE = "https://cdn.example.com/house.jpg";

test("a first text that is tried again leaves with the pictures that its campaign has then, and says so", async (t) => {
  const { api, ctx, client, lane, campaignId } = await aSending(t, 1);
  const change = async (media_urls: string[]) => {
    for (const [path, body] of [
      ["/pause", undefined],
      ["", { media_urls }],
      ["/resume", undefined],
    ] as const) {
      const answer = await api.request(path === "" ? "PATCH" : "POST", `/v1/campaigns/${campaignId}${path}`, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
  };
  const kept = async () =>
    (await client.query("select media_urls from messages where kind = 'start'")).rows[0].media_urls;
  await change([PICTURE]);
  const busy = aCarrier(() => ({ outcome: "not_sent", code: "busy", retryAfterMs: 1_000 }), { media: true });
  await drain(withCarrier(ctx, busy, 60_000), lane);
  assert.deepEqual([busy.handed.map(({ media }) => media), await kept()], [[[PICTURE]], [PICTURE]]);
  await change([]);
  const carrier = aCarrier(accepted, { media: true });
  await drain(withCarrier(ctx, carrier, 180_000), lane);
  assert.equal(carrier.handed.length, 1);
  assert.deepEqual([carrier.handed[0]!.media ?? [], await kept()], [[], null]);
});
