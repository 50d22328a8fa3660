import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type pg from "pg";
import { decodeUlaw } from "#domain/calls/g711.ts";
import { client } from "#test/support/api/parley.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { type Owner, type ServiceProcess, startProcess } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { freePort } from "./programs.ts";

const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
/** Away from the ports that peers are given. */
const RTP_PORTS = "31000-32700";
const WAV_HEADER_BYTES = 58;

export type SipService = {
  /** With a live key. */
  api: ReturnType<typeof client>;
  /** Moves the tenant's clock on. */
  ahead(minutes: number): Promise<unknown>;
  sql: pg.Client;
  /** Where its media node takes calls; the first, where there are several. */
  sipPort: number;
  /** Its media nodes, in order. */
  media: { process: ServiceProcess; sipPort: number }[];
  /** What its processes have written: warnings and worse. */
  said(): string[];
};

/** An api, a worker and a media node as processes, with one trunk or none and speech-to-text at an address, at noon of a weekday. */
export async function sipService(
  t: TestContext,
  owner: () => Owner,
  wanted: {
    trunk?: Record<string, unknown>;
    speechToTextUrl: string;
    env?: Record<string, string>;
    mediaNodes?: number;
  },
): Promise<SipService> {
  const databaseUrl = await cloneDatabase(t);
  const dataDir = aFolder("sip-service");
  const sipPorts = await Promise.all(Array.from({ length: wanted.mediaNodes ?? 1 }, () => freePort()));
  const env = {
    DATABASE_URL: databaseUrl,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY,
    // It is noon for the telephones of this test, whatever the hour.
    PARLEY_LIVE_CLOCK: "moved",
    ...(wanted.trunk ? { PARLEY_SIP_TRUNKS: JSON.stringify([wanted.trunk]) } : {}),
    // Trunks of tenants are of this machine too.
    PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.0/8",
    PARLEY_SIP_PORT: String(sipPorts[0]),
    PARLEY_RTP_PORTS: RTP_PORTS,
    PARLEY_SPEECH_TO_TEXT_PROVIDER: "openai",
    PARLEY_OPENAI_SPEECH_BASE_URL: wanted.speechToTextUrl,
    // Speech-to-text runs in the test's own process, which has much else to do.
    PARLEY_SPEECH_FIRST_TIMEOUT_MS: "20000",
    ...wanted.env,
  };
  const first = await startProcess(owner(), "api", env);
  const ofMedia = (port: number) => startProcess(owner(), "media", { ...env, PARLEY_SIP_PORT: String(port) });
  const [worker, ...nodes] = await Promise.all([startProcess(owner(), "worker", env), ...sipPorts.map(ofMedia)]);
  const media = nodes.map((process, i) => ({ process, sipPort: sipPorts[i]! }));
  const api = client(first.url!, LIVE_KEY);
  // The clock is a test key's to move.
  const made = await api.post("/v1/api-keys", { name: "Clock", mode: "test" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const clock = client(first.url!, made.body.api_key);
  await aNoon(clock);
  return {
    api,
    ...{ sipPort: sipPorts[0]!, media },
    ahead: (minutes) => clock.post("/v1/simulator/clock", { advance_ms: minutes * 60_000 }),
    sql: await openClient(t, databaseUrl),
    said: () =>
      [first, worker!, ...nodes].flatMap((process) => process.said.filter((line) => !line.startsWith("Parley is"))),
  };
}

/** Owners whose ends are all begun at once, when the test ends: each telephone takes a second to say goodbye. */
export function endsTogether(t: TestContext): () => Owner {
  const owned: (() => unknown)[][] = [];
  const end = async (closers: readonly (() => unknown)[]) => {
    for (const close of closers.toReversed()) await close();
  };
  t.after(() => Promise.all(owned.map(end)));
  return () => {
    const closers: (() => unknown)[] = [];
    owned.push(closers);
    return { after: (close) => void closers.push(close) };
  };
}

/** A call's recording as the API gives it, by its two channels. */
export async function recordingOf(
  api: SipService["api"],
  callId: string,
): Promise<{ contact: Int16Array; agent: Int16Array }> {
  const answer = await fetch(`${api.url}/v1/voice/calls/${callId}/recording`, { headers: { "x-api-key": api.key } });
  assert.equal(answer.status, 200);
  return sidesOf(Buffer.from(await answer.arrayBuffer()));
}

/** The channels of a recording: samples at 8 kHz. */
export function sidesOf(file: Buffer): { contact: Int16Array; agent: Int16Array } {
  const samples = new Int16Array(file.length - WAV_HEADER_BYTES);
  decodeUlaw(file.subarray(WAV_HEADER_BYTES), samples);
  const side = (n: number) => samples.filter((_, i) => i % 2 === n);
  return { contact: side(0), agent: side(1) };
}
