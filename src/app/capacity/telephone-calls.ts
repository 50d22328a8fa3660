import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createPlane, type Plane, type PlaneCall } from "#app/plane/plane.ts";
import { bareEnv } from "#app/settings/config.ts";
import { voiceAgent } from "#domain/agents/agent.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import { LATENESS_MS, type Lateness } from "#media/scheduler.ts";
import type { FromTelephones, ToTelephones } from "./telephones.ts";

/** A process with telephones, speech-to-text and a model that answer at once, so that the calls' own cost is what is measured. */
export type Telephones = {
  /** Of its speech-to-text and its model. */
  url: string;
  /** A telephone that speaks to this port; its own. */
  call(at: number, port: number): Promise<number>;
  /** They speak from now on, those that are called later too; some interrupt the agent. */
  begin(interrupts: boolean): void;
  hangUp(at?: number): void;
  /** What came since the last report. */
  report(): Promise<Extract<FromTelephones, { say: "report" }>>;
  close(): void;
};

export async function startTelephones(): Promise<Telephones> {
  const child = fork(new URL("./telephones.ts", import.meta.url), { env: bareEnv({}) });
  const order = (message: ToTelephones) => void child.send(message);
  const { url } = await said(child, "ready");
  return {
    url,
    async call(at, port) {
      const phone = said(child, "phone");
      order({ do: "call", at, port });
      return (await phone).port;
    },
    begin: (interrupts) => order({ do: "begin", interrupts }),
    hangUp: (at) => order(at === undefined ? { do: "end" } : { do: "end", at }),
    report() {
      const answer = said(child, "report");
      order({ do: "report" });
      return answer;
    },
    close: () => void child.kill(),
  };
}

/** The next message of this kind. */
async function said<K extends FromTelephones["say"]>(
  from: ChildProcess,
  kind: K,
): Promise<Extract<FromTelephones, { say: K }>> {
  for (;;) {
    const [message] = (await once(from, "message")) as [FromTelephones];
    if (message.say === kind) return message as Extract<FromTelephones, { say: K }>;
  }
}

/** One media process of its own, as a node has one a core, whose calls are transcribed and answered by the telephones' process. */
export const planeFor = ({ url }: Telephones, parts: { most: number; dataDir: string }): Plane =>
  createPlane({
    children: 1,
    callsPerChild: parts.most,
    entry: new URL("../plane/child.ts", import.meta.url),
    env: bareEnv({
      PARLEY_DATA_DIR: parts.dataDir,
      PARLEY_SPEECH_TO_TEXT_PROVIDER: "deepgram",
      PARLEY_DEEPGRAM_BASE_URL: url,
      PARLEY_DEEPGRAM_API_KEY: "capacity",
      PARLEY_LLM_BASE_URL: `${url}/v1`,
      PARLEY_LLM_MODEL: "stand-in",
      PARLEY_LOG_LEVEL: "error",
    }),
    salvage: async () => undefined,
    log: { info() {}, warn() {}, error() {} },
  });

/** A call over RTP that a telephone has answered. */
export async function answered(plane: Plane, telephones: Telephones, at: number): Promise<PlaneCall> {
  const one = plane.open(
    planOf(at),
    { kind: "rtp", srtp: false, codecs: ["PCMU"] },
    { report: async () => {}, transfer: async () => false },
  );
  const port = await telephones.call(at, (await one.local)!.port);
  one.begin(new Date(), {
    address: "127.0.0.1",
    port,
    rtcpPort: port,
    isRtcpMuxed: true,
    codec: "PCMU",
    payloadType: 0,
    hears: true,
    speaks: true,
    from: [],
  });
  return one;
}

const planOf = (at: number): CallPlan => ({
  callId: randomUUID(),
  tenantId: randomUUID(),
  ref: randomUUID(),
  mode: "test",
  direction: "outbound",
  purpose: "call",
  n: 1,
  number: "+12125550100",
  contactPhone: `+1212555${String(1_000 + at).slice(-4)}`,
  campaign: "capacity",
  agent: voiceAgent({
    agent_name: "Ann",
    prompt: "You call about a loan. Find out every detail.",
    voice_id: "offline-slt",
    starting_message: "Hi, this is Ann from Acme. Do you have a minute to talk about your loan?",
    ambient_sound: "call-center",
    interruption_sensitivity: 1,
  }),
  organization: "Acme",
  contact: {},
  contactZone: "America/New_York",
  history: [],
  known: {},
  now: "2026-06-01T15:00:00.000Z",
  clockOffsetMs: 0,
});

/** The bound below which 99 % of the ticks were; past the last bound, how late the latest was. */
export function lateP99({ ticks, counts, longestMs }: Lateness): number {
  let sum = 0;
  for (const [i, count] of counts.entries()) {
    sum += count;
    if (sum >= ticks * 0.99) return Math.min(LATENESS_MS[i]!, longestMs);
  }
  return longestMs;
}
