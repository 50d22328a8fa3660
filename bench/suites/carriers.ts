import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { leadsOf, phoneOf } from "#app/capacity/people.ts";
import { startKannel } from "#test/peers/kannel.ts";
import { missing } from "#test/peers/programs.ts";
import { aKeyOf, anotherTenant } from "#test/support/accounts/tenant.ts";
import { client, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { ACCOUNT_SID, AUTH_TOKEN } from "#test/support/carriers/twilio/stand-in.ts";
import { readyLine, startService } from "../service.ts";
import { type Bench, timed } from "../suite.ts";

const PATIENCE_MS = 600_000;
/** As many as an account of ours has under way with Twilio. */
const CONNECTIONS = 32;
/** Submits without an answer, of ours and of Kannel's. */
const WINDOW = 50;
const TEXT = "Hi, this is Ava. Do you have a minute?";

/**
 * Texts of a campaign in live mode that a carrier has accepted, gate, journal and database included: over HTTP as Twilio has it, against the same posts
 * with nothing around them; and over SMPP, against Debian's Kannel, which keeps nothing, at the same gateway. One sender without a rate of its own.
 */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 100 : 10_000;
  const twilio = await startSink("twilio");
  try {
    const raw = await timed(() => posts(twilio.address, count));
    const hosts = { "api.twilio.com": twilio.address, "messaging.twilio.com": twilio.address };
    const account = {
      ...{ kind: "twilio", name: "Twilio", settings: {} },
      credentials: { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN },
    };
    const ours = await throughEngine(bench, twilio, count, account, { PARLEY_CARRIER_HOSTS: JSON.stringify(hosts) });
    bench.figure({ name: "http to accepted", value: ours, unit: "texts/s", baseline: count / raw.seconds });
  } finally {
    twilio.stop();
  }
  const smpp = await startSink("smpp");
  try {
    const [host, port] = smpp.address.split(":");
    const account = {
      ...{ kind: "smpp", name: "Gateway", credentials: { system_id: "parley", password: "secret" } },
      settings: { host, port: Number(port), senders: [SENDER], window: WINDOW, per_second: 10_000 },
    };
    const kannel = missing("bearerbox", "smsbox") ? null : await throughKannel(bench, smpp, count);
    const ours = await throughEngine(bench, smpp, count, account, { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" });
    bench.figure({ name: "smpp to accepted", value: ours, unit: "texts/s", baseline: kannel });
  } finally {
    smpp.stop();
  }
}

type Sink = { address: string; taken(): number; stop(): void };

async function startSink(kind: "twilio" | "smpp"): Promise<Sink> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, "../carrier-sink.ts"), kind], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  let taken = 0;
  child.stdout!.setEncoding("utf8").on("data", (said: string) => {
    taken = Number(/taken: (\d+)\n[^\n]*$/.exec(said)?.[1] ?? taken);
  });
  const address = await readyLine(child);
  return { address, taken: () => taken, stop: () => void child.kill("SIGTERM") };
}

/** The same requests as Twilio's adapter makes, over as many connections, with nothing around them. */
async function posts(url: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const authorization = `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const post = (n: number) =>
    new Promise<void>((resolve, reject) => {
      const callback = `https://parley.example/carrier/carrier_01/status/${n}`;
      const form = { To: phoneOf(n), From: SENDER, Body: TEXT, StatusCallback: callback };
      request(`${url}/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`, { method: "POST", agent, headers })
        .on("response", (answer) => {
          if (answer.statusCode !== 201) reject(new Error(`answered ${answer.statusCode}`));
          answer.resume().on("end", resolve);
        })
        .on("error", reject)
        .end(new URLSearchParams(form).toString());
    });
  let next = 0;
  const one = async () => {
    while (next < count) await post(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  agent.destroy();
}

async function throughEngine(
  bench: Bench,
  sink: Sink,
  count: number,
  account: Record<string, unknown>,
  env: Record<string, string>,
): Promise<number> {
  const before = await settled(sink);
  const service = await startService(bench, {
    ...{ PARLEY_LIVE_CLOCK: "moved", PARLEY_PUBLIC_URL: "https://parley.example", ...env },
  });
  try {
    const live = await anotherTenant(service, "live");
    const test = client(service.url, await aKeyOf(service, "test", live));
    await service.startWorker();
    const made = await live.post("/v1/carriers", account);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const connected = await live.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {});
    assert.equal(connected.body.carrier?.status, "connected", JSON.stringify(connected.body));
    const beginAt = new Date((await aNoon(test)).getTime() + 3_600_000);
    const { campaignId } = await aCampaign(live, {
      contacts: [{ phone_number: "+12124439999", first_name: "First" }],
      agent: { starting_message: TEXT },
      campaign: { campaign_begin_time: beginAt.toISOString() },
    });
    await live.post(`/v1/campaigns/${campaignId}/leads`, { clients: leadsOf(count - 1) });
    await service.sql.query("update lanes set per_second = null");
    const accepted = async () =>
      (await service.sql.query("select count(*)::int as n from attempts where state = 'accepted'")).rows[0].n === count;
    const { seconds } = await timed(async () => {
      await test.post("/v1/simulator/clock", { to: new Date(beginAt.getTime() + 60_000).toISOString() });
      await until("every text is accepted", accepted, PATIENCE_MS);
    });
    assert.equal((await settled(sink)) - before, count, "each is there once");
    return count / seconds;
  } finally {
    await service.stop();
  }
}

async function throughKannel(bench: Bench, sink: Sink, count: number): Promise<number> {
  const before = await settled(sink);
  const ends: (() => unknown)[] = [];
  const where = join(bench.folder, "kannel");
  mkdirSync(where);
  try {
    const gateway = Number(sink.address.split(":")[1]);
    const owner = { after: (end: () => unknown) => void ends.push(end) };
    const kannel = await startKannel(owner, where, { gateway, window: WINDOW, receipts: false });
    await kannel.listen();
    const text = { from: SENDER.slice(1), text: TEXT };
    await until("Kannel takes texts", async () => (await kannel.send({ ...text, to: phoneOf(0).slice(1) })) === 202);
    await until("its first is there", async () => sink.taken() > before, PATIENCE_MS);
    let next = 1;
    const one = async () => {
      while (next < count) {
        const to = phoneOf(next++).slice(1);
        assert.equal(await kannel.send({ ...text, to }), 202);
      }
    };
    const { seconds } = await timed(async () => {
      await Promise.all(Array.from({ length: CONNECTIONS }, one));
      await until("every text is there", async () => sink.taken() >= before + count, PATIENCE_MS);
    });
    return (count - 1) / seconds;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** How many the sink has taken, once it says so twice. */
async function settled(sink: Sink): Promise<number> {
  let last = -1;
  await until("the sink is quiet", async () => {
    const isQuiet = sink.taken() === last;
    last = sink.taken();
    await new Promise((resolve) => setTimeout(resolve, 150));
    return isQuiet;
  });
  return last;
}
