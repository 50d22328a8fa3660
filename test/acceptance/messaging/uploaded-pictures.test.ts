import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { removeDoomedObjects } from "#operations/sending/sweep.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, type Parley, startParley } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { PNG } from "#test/support/carriers/media-host.ts";

const PUBLIC = "https://parley.acme.example";
const DAY_MS = 86_400_000;

/** Posts a file as the browser does. */
async function upload(api: Pick<Parley, "url" | "key">, file: Uint8Array, name = "house.png", headers = {}) {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(file)]), name);
  const sent = { method: "POST", headers: { "x-api-key": api.key, ...headers }, body: form };
  const response = await fetch(`${api.url}/v1/media`, sent);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer["body"] };
}

test("a picture is uploaded, goes along by its address, and is fetched by that alone until it expires", async (t) => {
  const api = await startParley(t, { PARLEY_PUBLIC_URL: PUBLIC }, ["api"]);
  const { status, body } = await upload(api, PNG);
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual([body.content_type, body.bytes], ["image/png", PNG.length]);
  const lastsMs = Date.parse(body.expires_at) - Date.now();
  assert.ok(lastsMs > 89 * DAY_MS && lastsMs <= 90 * DAY_MS, body.expires_at);
  assert.ok(body.url.startsWith(`${PUBLIC}/v1/media/${body.media_id}?token=`), body.url);
  const local = (url: string) => url.replace(PUBLIC, api.url);
  const fetched = await fetch(local(body.url));
  assert.deepEqual([fetched.status, fetched.headers.get("content-type")], [200, "image/png"]);
  const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  assert.equal(sha(new Uint8Array(await fetched.arrayBuffer())), sha(PNG));

  const made = await aCampaign(api, {
    contacts: [{ phone_number: "+12124440101" }],
    campaign: { media_urls: [body.url], campaign_begin_time: "2098-01-01T00:00:00Z" },
  });
  const { campaign } = (await api.get(`/v1/campaigns/${made.campaignId}`)).body;
  assert.deepEqual(campaign.media_urls, [body.url]);

  const other = await anotherTenant(api);
  const path = `/v1/media/${body.media_id}`;
  assert.equal((await other.get(path)).status, 404);
  assert.equal((await api.get(path)).status, 200);
  assert.equal((await fetch(`${api.url}${path}`)).status, 401);
  const wrong = `${local(body.url).slice(0, -2)}AA`;
  assert.notEqual((await fetch(wrong)).status, 200);
  const another = (await upload(api, PNG)).body.media_id;
  assert.notEqual((await fetch(local(body.url).replace(body.media_id, another))).status, 200, "of this picture alone");

  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  await removeDoomedObjects({ ...ctx, now: () => new Date(Date.now() + 89 * DAY_MS) });
  assert.equal((await api.get(path)).status, 200);
  await removeDoomedObjects({ ...ctx, now: () => new Date(Date.now() + 92 * DAY_MS) });
  assert.equal((await api.get(path)).status, 404);
});

test("what is no picture, or too large, is refused, and nothing of it stays", async (t) => {
  const api = await startParley(t, { PARLEY_PUBLIC_URL: PUBLIC }, ["api"]);
  const page = Buffer.from("<html><script>alert(1)</script></html>");
  assert.deepEqual(wrongFields(await upload(api, page, "house.png")), ["file"]);
  assert.deepEqual(wrongFields(await upload(api, Buffer.alloc(0))), ["file"]);
  const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
  assert.equal((await upload(api, large)).status, 413);
  const { body } = await api.request("POST", "/v1/media", { file: "house.png" });
  assert.equal(body.code, "unsupported_media_type");
  const headers = { "idempotency-key": "house-1" };
  const [first, again] = [await upload(api, PNG, "a.png", headers), await upload(api, PNG, "a.png", headers)];
  assert.deepEqual([first.status, again.body], [201, first.body], "under an Idempotency-Key it is kept once");
});

test("without a public address no picture is taken, since no carrier could fetch it", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { status, body } = await upload(api, PNG);
  assert.deepEqual([status, body.code], [409, "conflict"]);
});
