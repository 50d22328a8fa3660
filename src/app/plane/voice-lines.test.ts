import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboundCall } from "#adapters/sip-calls/call.ts";
import { readConfig } from "#app/settings/config.ts";
import type { CallLine } from "#ports/call-line.ts";
import { openSound, takeSipCalls } from "./voice-lines.ts";

const log = { info: () => {}, warn: () => {}, error: () => {} };

test("a node that stops refuses calls with 503 and a time, while the calls that it has go on", async () => {
  let invite: ((call: InboundCall) => void) | undefined;
  const stopping = new AbortController();
  const taken: string[] = [];
  takeSipCalls(
    { signalling: { onInvite: (listener) => (invite = listener), tenants: new Map() } },
    {
      trunks: { owners: async () => new Map([["+12125550100", "a-tenant"]]) } as never,
      lines: { forNumber: async () => undefined, names: () => [], byName: () => ({}) as CallLine },
      accounts: { open: async () => undefined },
      db: undefined as never,
      incoming: async ({ from }) => void taken.push(from),
      stopping: stopping.signal,
      now: () => new Date(0),
      log,
    },
  );
  const refused: [number, number | undefined][] = [];
  const call = (from: string) =>
    invite!({
      trunk: "office",
      callId: from,
      from,
      to: "+12125550100",
      reject: (status: number, retryAfterMs?: number) => void refused.push([status, retryAfterMs]),
    } as Partial<InboundCall> as InboundCall);
  call("+12125550101");
  await new Promise(setImmediate);
  stopping.abort();
  call("+12125550102");
  await new Promise(setImmediate);
  assert.deepEqual(taken, ["+12125550101"]);
  assert.deepEqual(refused, [[503, 30_000]]);
});

test("without speech-to-text as many simulated calls have sound as the processes hold, and no microphone is offered", async (t) => {
  const calls = { PARLEY_MEDIA_PROCESSES: "2", PARLEY_MEDIA_CALLS: "30" };
  const sound = await openSound(readConfig({ ...calls, PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS: "0" }), log);
  t.after(sound.close);
  assert.equal(sound.simulatedAtOnce, 60);
  assert.equal(sound.bridge, undefined);
});
