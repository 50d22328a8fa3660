import { readFileSync } from "node:fs";
import { join } from "node:path";
import { objectFolder } from "#adapters/files/objects.ts";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { createPlane } from "#app/plane/plane.ts";
import { sipLine } from "#app/plane/sip-line.ts";
import { inheritedEnv } from "#app/settings/config.ts";
import type { CallReport } from "#domain/calls/report.ts";
import { spokenWhole } from "#media/audio/spoken.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { anAgent } from "./parley.ts";
import { sidesOf as sides } from "./sip-service.ts";

/** Sentences with silences between them, in milliseconds, as a telephone at 8 kHz speaks them. */
export async function spoken(...parts: (string | number)[]): Promise<Int16Array> {
  const voice = fliteVoice();
  const pieces: Int16Array[] = [];
  const options = { voiceId: "offline-rms", language: "en-US", speed: 1, temperature: 1 };
  for (const part of parts) {
    if (typeof part === "number") pieces.push(new Int16Array(part * 8));
    else pieces.push((await spokenWhole(voice, part, options, AbortSignal.timeout(60_000))).samples);
  }
  await voice.close();
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** A line to a telephone of this machine, with its process for sound. */
export async function aLine(owner: Owner, phone: { port: number }) {
  const dataDir = aFolder("sip-line");
  const agent = await anAgent(owner, { port: phone.port });
  const log = { info() {}, warn() {}, error() {} };
  const plane = createPlane({
    children: 1,
    callsPerChild: 2,
    entry: new URL("../../src/app/plane/child.ts", import.meta.url),
    env: inheritedEnv({ PARLEY_DATA_DIR: dataDir, PARLEY_LOG_LEVEL: "error" }),
    salvage: async () => undefined,
    log,
  });
  owner.after(() => plane.close());
  const trunk = {
    name: "peer",
    host: "127.0.0.1",
    port: phone.port,
    transport: "udp" as const,
    allowedAddresses: [],
    srtp: "off" as const,
    register: false,
    keepAliveSeconds: 0,
    maxCalls: 10,
    callsPerSecond: 10,
  };
  const recordings = join(dataDir, "recordings");
  const store = objectFolder(recordings);
  const line = sipLine({ agent, trunk, plane, store, mayCallFrom: async () => true, now: () => new Date(), log });
  const sidesOf = (report: CallReport) => sides(readFileSync(join(recordings, report.recording!.name)));
  return { line, agent, plane, recordings, sidesOf };
}
