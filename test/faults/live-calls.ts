import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { publicId } from "#domain/values/id.ts";
import { until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { persist } from "./load.ts";
import type { World } from "./world.ts";

// Calls with sound, as many as one wants: simulated phones that answer and stay on the line.

/** Two sides at 8 kHz, a byte a sample. */
const BYTES_A_MS = 16;
/** Of a recording. */
const WAV_HEADER_BYTES = 58;
/** Several segments have been written by then, and none of them is the first. */
const TALKED_MS = 8_000;
/** Two slow cores start the sound of some fifty calls, beside whatever else they have to do. */
const ON_THE_PHONE_WITHIN_MS = 180_000;

/** Settings with which simulated calls have a sound, in real time. `url` from `idleSpeechToText`. */
export const withSound = (url: string): Record<string, string> => ({
  PARLEY_SIMULATOR_CALLS: "audio",
  PARLEY_SIMULATOR_CALL_PACE: "clock",
  PARLEY_SPEECH_TO_TEXT_PROVIDER: "deepgram",
  PARLEY_DEEPGRAM_BASE_URL: url,
  PARLEY_DEEPGRAM_API_KEY: "faults",
  PARLEY_MEDIA_PROCESSES: "2",
});

/** Speech-to-text for any number of calls that returns no words, at once: sound is lost or not whatever its words. Closed with the test. */
export async function idleSpeechToText(t: TestContext): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (client: WebSocket) => {
    client.on("message", (data, isBinary) => {
      if (isBinary) return;
      const { type } = JSON.parse(String(data)) as { type: string };
      const channel = { alternatives: [{ transcript: "", confidence: 0, words: [] }] };
      if (type === "Finalize") {
        client.send(
          JSON.stringify({ type: "Results", start: 0, duration: 0, channel, is_final: true, from_finalize: true }),
        );
      } else if (type === "CloseStream") client.close(1000);
    });
  });
  await once(server, "listening");
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Has phones take calls at once: for as long as anybody stays on the line, or for so long. */
export async function phonesTake(world: World, phones: readonly string[], hangsUpAfterMs?: number): Promise<void> {
  const script = { behavior: "silent", answer_delay_ms: 0 };
  const more = hangsUpAfterMs === undefined ? {} : { hangs_up_after_ms: hangsUpAfterMs };
  for (const phone of phones) await world.api.put(handsetPath(phone), { ...script, ...more });
}

/** A voice campaign to these phones, which calls once more whom it lost, at the next noon. Its public id. */
export async function callThem(world: World, phones: readonly string[], from: string = SENDER): Promise<string> {
  await aNoon(world.api);
  return callNow(world, phones, from);
}

/** The same, by the clock as it is. */
export async function callNow(world: World, phones: readonly string[], from: string = SENDER): Promise<string> {
  const { voiceAgentId } = await aVoiceAgent(world.api, {
    end_call_after_silence_ms: 600_000,
    detect_voicemail: false,
  });
  const campaign = {
    campaign_id: `calls-${randomUUID()}`,
    leads: phones.map((phone_number) => ({ phone_number })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: from,
    max_concurrent_calls: 1_000,
    calls_per_second: 20,
    redial_enabled: true,
    redial_config: { max_attempts: 2, retry_delay_minutes: 1, retry_on: ["failed"] },
  };
  const { body } = await persist(() => world.api.post("/v1/voice/campaigns", campaign), world.ending);
  return body.campaign_id;
}

export type KnownCall = {
  id: string;
  phone: string;
  status: string;
  reason: string | null;
  duration_ms: number;
  /** Real time. */
  answered_at: Date | null;
  recording_ms: number | null;
};

/** A campaign's calls, oldest first. */
export function callsOf(world: World, campaignId: string): Promise<KnownCall[]> {
  return world.sql<KnownCall>(
    `select call.id, call.phone, call.status, call.reason, call.duration_ms, detail.recording_ms,
       call.answered_at - tenant.clock_offset_ms * interval '1 millisecond' as answered_at
     from campaigns campaign join tenants tenant on tenant.id = campaign.tenant_id
     join calls call on call.tenant_id = campaign.tenant_id and call.campaign_id = campaign.id
     left join call_details detail on detail.tenant_id = call.tenant_id and detail.call_id = call.id
     where campaign.campaign_id = $1 order by call.start_at`,
    [campaignId],
  );
}

/** On which node each call of a campaign was placed. */
export const nodesOf = (world: World, campaignId: string) =>
  world.sql<{ id: string; node_id: string }>(
    "select call.id, call.node_id from calls call join campaigns campaign on campaign.tenant_id = call.tenant_id and campaign.id = call.campaign_id where campaign.campaign_id = $1",
    [campaignId],
  );

/** Waits until all these phones talk, and the one that answered last has for some seconds. When each recording began, by the call's id. */
export async function talking(world: World, campaignId: string, count: number): Promise<Map<string, number>> {
  const folder = join(world.dataDir, "open-recordings");
  return until(
    `${count} calls have a sound`,
    async () => {
      const calls = await callsOf(world, campaignId);
      const over = calls.find((call) => call.status !== "ongoing" && call.status !== "registered");
      if (over) throw new Error(`a call that was to go on is over: ${over.status}, ${over.reason}`);
      const open = calls.filter((call) => call.status === "ongoing");
      if (open.length !== count) return false;
      const files = open.map(({ id }) => statSync(join(folder, `${id}.wav`), { throwIfNoEntry: false }));
      if (!files.every((file) => file && file.size > TALKED_MS * BYTES_A_MS)) return false;
      return new Map(open.map(({ id }, i) => [id, files[i]!.birthtimeMs]));
    },
    ON_THE_PHONE_WITHIN_MS,
  );
}

/** The calls whose recordings a process has open, in the order of their ids. Linux only. */
export function recordedBy(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  return files.flatMap((file) => /open-recordings\/([0-9a-f-]{36})\.wav$/.exec(file)?.[1] ?? []).sort();
}

/** How long the recording is that the API serves for a call, in milliseconds; undefined while there is none. */
export async function servedMs(world: World, callId: string): Promise<number | undefined> {
  const response = await fetch(`${world.api.url}/v1/voice/calls/${publicId("call", callId)}/recording`, {
    headers: { "x-api-key": world.api.key },
  });
  const sound = await response.arrayBuffer();
  return response.status === 200 ? (sound.byteLength - WAV_HEADER_BYTES) / BYTES_A_MS : undefined;
}
