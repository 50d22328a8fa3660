import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type client, until } from "#test/support/api/parley.ts";
import { aCampaign, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { PNG, startMediaHost } from "#test/support/carriers/media-host.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient, startWorkers } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

const CONTACT = "+12124440001";
/** A number of the account that sends no pictures. */
const PLAIN = "+12125550122";
const PICTURES = ["https://cdn.example.com/house.jpg", "https://cdn.example.com/plan.png"];
const CREDENTIALS = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };

type Media = { media_id: string; status: string; content_type: string; bytes: number; url: string; problem: string };
type Message = { direction: string; text: string; kind: string; media: Media[] };

/** A live tenant on Twilio's stand-in, and a host of pictures. */
async function aTenant(t: TestContext) {
  const [twilio, host] = [await startTwilio(t), await startMediaHost(t)];
  twilio.addNumber(SENDER);
  twilio.addNumber(PLAIN, { capabilities: { sms: true, mms: false, voice: true, fax: false } });
  const port = await aFreePort();
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url, "mms.twiliocdn.com": host.url };
  // What a worker fetches the api hands out.
  const dataDir = aFolder("media");
  const env = {
    PORT: String(port),
    PARLEY_DATA_DIR: dataDir,
    PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    PARLEY_CARRIER_HOSTS: JSON.stringify(hosts),
    PARLEY_LIVE_CLOCK: "moved",
  };
  const service = await startApiProcess(t, env);
  const live = (await anotherTenant(service as never, "live")) as ReturnType<typeof client>;
  const sql = await openClient(t, service.databaseUrl);
  startWorkers(t, service, 1, env);
  const offsetMs = workingNoon(new Date()).getTime() - Date.now();
  await sql.query("update tenants set clock_offset_ms = $1 where mode = 'live'", [offsetMs]);
  const account = { name: "Main", kind: "twilio", credentials: CREDENTIALS };
  const { carrier_id } = (await live.post("/v1/carriers", account)).body.carrier;
  assert.equal((await live.post(`/v1/carriers/${carrier_id}/connect`, {})).status, 200);
  return { service, dataDir, live, twilio, host };
}

/** One that has a campaign, whose first text has left. */
async function aConversation(t: TestContext) {
  const { service, dataDir, live, twilio, host } = await aTenant(t);
  const { campaignId } = await aCampaign(live, {
    contacts: [{ phone_number: CONTACT, first_name: "Ann" }],
    agent: { reply_delay_ms: 0 },
  });
  const texts = () => twilio.messages.filter(({ to }) => to === CONTACT).length;
  await until("the first text is at Twilio", async () => texts() === 1);
  const path = `/v1/sms/threads/${encodeURIComponent(`${CONTACT}_${campaignId}`)}`;
  const messages = async (): Promise<Message[]> => (await live.get(path)).body.thread.messages;
  let sid = 0;
  const sends = async (text: string, names: readonly string[], type = "image/png") => {
    const at = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT_SID}/Messages/MM1/Media`;
    const media = names.flatMap((name, n) => [
      [`MediaUrl${n}`, `${at}/${name}`],
      [`MediaContentType${n}`, type],
    ]);
    const id = `MM${String(++sid).padStart(32, "0")}`;
    const answer = await twilio.webhook(String(twilio.numbers[0]!.sms_url), {
      ...{ AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", From: CONTACT, To: SENDER, Body: text },
      ...{ MessageSid: id, SmsSid: id, NumMedia: String(names.length), NumSegments: "1" },
      ...Object.fromEntries(media),
    });
    assert.equal(answer.status, 200);
  };
  return { service, dataDir, live, twilio, host, texts, messages, sends, campaignId, path };
}

/** The files of what came with texts, of all tenants. */
const filesIn = (dataDir: string): string[] =>
  readdirSync(join(dataDir, "recordings"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /media\/[\w-]{36}$/.test(name),
  );

test("a picture is answered, shown, opened by a link, kept from others, and gone with its contact", async (t) => {
  const { service, dataDir, live, host, texts, messages, sends, path } = await aConversation(t);
  host.files.set("/roof.png", { type: "image/png", bytes: PNG });
  host.files.set("/plan.pdf", { type: "application/pdf", bytes: Buffer.from("%PDF-1.4") });
  host.files.set("/page.html", { type: "text/html", bytes: Buffer.from("<script>alert(1)</script>") });
  await sends("", ["roof.png"]);
  await until("the agent has answered the picture", async () => texts() === 2);
  await sends("and these", ["plan.pdf", "page.html", "gone.png"]);
  await until("all of them are fetched", async () =>
    (await messages()).every(({ media }) => media.every(({ status }) => status !== "waiting")),
  );
  const inbound = (await messages()).filter(({ direction }) => direction === "inbound");
  assert.deepEqual(
    inbound.map(({ text, media }) => [text, ...media.map(({ status, content_type }) => `${status} ${content_type}`)]),
    [
      ["", "kept image/png"],
      ["and these", "kept application/pdf", "failed image/png", "failed image/png"],
    ],
  );
  const events = await until("the log shows an event of each", async () => {
    const { body } = await live.get("/v1/events?kinds=message.media_kept,message.media_failed&limit=100");
    return body.events.length >= 4 && body.events;
  });
  assert.deepEqual(
    events.map(({ kind, data }: { kind: string; data: Media }) => [kind, data.content_type ?? data.problem]).sort(),
    [
      ["message.media_failed", "It is of a type that is not kept: text/html"],
      ["message.media_failed", "The carrier does not have it any more (404)"],
      ["message.media_kept", "application/pdf"],
      ["message.media_kept", "image/png"],
    ],
  );
  const [roof] = inbound[0]!.media;
  const [plan, page, gone] = inbound[1]!.media;
  assert.deepEqual(
    [page, gone].map((one) => [one!.url, one!.problem]),
    [
      [null, "It is of a type that is not kept: text/html"],
      [null, "The carrier does not have it any more (404)"],
    ],
  );

  const picture = await fetch(roof!.url);
  const { headers } = picture;
  assert.deepEqual([picture.status, Buffer.from(await picture.arrayBuffer())], [200, PNG]);
  assert.deepEqual(
    [headers.get("content-type"), headers.get("content-disposition"), headers.get("x-content-type-options")],
    ["image/png", `inline; filename="${roof!.media_id}.png"`, "nosniff"],
  );
  assert.equal(headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
  const file = await fetch(plan!.url);
  assert.equal(file.headers.get("content-disposition"), `attachment; filename="${plan!.media_id}.pdf"`);
  assert.equal(file.headers.get("content-type"), "application/pdf");

  const at = (id: string) => `/v1/media/${id}`;
  const url = service.url + at(roof!.media_id);
  const part = await fetch(roof!.url, { headers: { range: "bytes=1-3" } });
  assert.deepEqual([part.status, await part.text()], [206, "PNG"]);
  const token = new URL(roof!.url).search;
  assert.equal((await fetch(service.url + at(plan!.media_id) + token)).status, 403, "a link opens one thing");
  assert.equal((await fetch(`${url}?token=nonsense`)).status, 403);
  assert.equal((await fetch(url)).status, 401);
  assert.equal((await live.get(at(page!.media_id))).status, 404);
  const another = (await anotherTenant(service as never, "live")) as ReturnType<typeof client>;
  for (const who of [another, service]) assert.equal((await who.get(at(roof!.media_id))).status, 404);

  assert.equal(filesIn(dataDir).length, 2);
  const { lead_id } = (await live.get(path)).body.thread;
  assert.equal((await live.delete(`/v1/contacts/leads/${lead_id}`)).status, 200);
  assert.deepEqual(filesIn(dataDir), []);
  assert.equal((await fetch(roof!.url)).status, 404);
});

test("pictures of a live campaign leave with its first text, from a number that sends them", async (t) => {
  const { live, twilio } = await aTenant(t);
  const { organizationId, userId, agentId } = await anAgent(live, { reply_delay_ms: 0 });
  const body = {
    ...{ campaign_name: "Houses", organization_id: organizationId, user_id: userId, sms_agent_id: agentId },
    ...{ contacts: [{ phone_number: CONTACT, first_name: "Ann" }], media_urls: PICTURES },
  };
  for (const path of ["/v1/campaigns", "/v1/campaigns/preflight"]) {
    const refused = await live.post(path, { ...body, svc_sms_number: PLAIN });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.error, `media_urls cannot be sent: ${PLAIN} sends no pictures (MMS)`);
  }
  assert.deepEqual((await live.get(`/v1/campaigns?organization_id=${organizationId}`)).body.campaigns, []);
  const made = await live.post("/v1/campaigns", { ...body, svc_sms_number: SENDER });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  await until("the first text is at Twilio", async () => twilio.messages.length === 1);
  const reply = await twilio.webhook(String(twilio.numbers[0]!.sms_url), {
    ...{ AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", From: CONTACT, To: SENDER, Body: "Yes, tell me more" },
    ...{ MessageSid: `SM${"c".repeat(32)}`, SmsSid: `SM${"c".repeat(32)}`, NumMedia: "0", NumSegments: "1" },
  });
  assert.equal(reply.status, 200);
  await until("the agent has answered", async () => twilio.messages.length === 2);
  assert.deepEqual(
    twilio.messages.map(({ to, from, mediaUrls }) => [to, from, mediaUrls]),
    // The newest first.
    [
      [CONTACT, SENDER, []],
      [CONTACT, SENDER, PICTURES],
    ],
  );
});
