import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { openRtpLeg, type RtpLeg } from "#adapters/sip-audio/rtp-leg.ts";
import { openRtpPort, type RtpPort } from "#adapters/sip-audio/rtp-port.ts";
import { createSipAgent, type SipAgent, type SipAgentParts } from "#adapters/sip-calls/agent.ts";
import type { CallEnd, CallEvents, CallRequest, InboundCall, SipCall } from "#adapters/sip-calls/call.ts";
import type { RemoteMedia, SrtpSuite } from "#adapters/sip-messages/offer-answer.ts";
import { systemClock } from "#adapters/sip-transport/clock.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import type { Owner } from "#test/support/processes/processes.ts";

/** Longer than an INVITE waits for its answer: 32 s, Timer B. */
const WAIT_MS = 40_000;

/** Waits until it is so. */
export async function until(isSo: () => unknown, what: string, withinMs = WAIT_MS): Promise<void> {
  for (const end = Date.now() + withinMs; !isSo(); await pause(5)) {
    if (Date.now() > end) assert.fail(`never: ${what}`);
  }
}

/** Our side: an agent with one trunk, to a peer of this machine. */
export async function anAgent(
  owner: Owner,
  trunk: Partial<Trunk>,
  { bind, ...parts }: Partial<Omit<SipAgentParts, "trunks" | "bind">> & { bind?: Partial<SipAgentParts["bind"]> } = {},
): Promise<SipAgent> {
  const agent = await createSipAgent({
    trunks: [
      {
        name: "peer",
        host: "127.0.0.1",
        transport: "udp",
        allowedAddresses: ["127.0.0.1"],
        srtp: "off",
        register: false,
        keepAliveSeconds: 0,
        maxCalls: 1_000,
        callsPerSecond: 1_000,
        ...trunk,
      },
    ],
    bind: { address: "127.0.0.1", udpPort: 0, ...bind },
    log() {},
    ...parts,
  });
  owner.after(agent.close);
  return agent;
}

/** The sound of a call: what came, put in the order of its numbers, and what is sent. */
export type Sound = {
  port: RtpPort;
  leg(): RtpLeg | undefined;
  open(remote: RemoteMedia): void;
  /** Payloads by sequence. */
  heard: Map<number, Buffer>;
  /** The same at 16 kHz, where the codec has that. */
  heardWide: Map<number, Int16Array>;
  digits: string[];
  /** Sends these bytes of mu-law, a frame every 20 ms; resolves when the last has gone. */
  say(sound: Uint8Array): Promise<void>;
};

/** `srtp`: whether we encrypt, with whatever the other side likes best or with one suite alone. */
export async function aSound(
  owner: Owner,
  srtp: boolean | SrtpSuite = false,
  codecs: RtpPort["local"]["codecs"] = ["PCMU", "PCMA"],
) {
  const port = await openRtpPort({
    address: "127.0.0.1",
    range: [22_000, 29_999],
    codecs,
    hasSrtp: srtp !== false,
    random: randomBytes,
  });
  if (typeof srtp === "string")
    port.local = { ...port.local, srtp: port.local.srtp!.filter((key) => key.suite === srtp) };
  const heard = new Map<number, Buffer>();
  const heardWide = new Map<number, Int16Array>();
  const digits: string[] = [];
  let leg: RtpLeg | undefined;
  owner.after(() => (leg ? leg.close() : port.close()));
  const sound: Sound = {
    port,
    leg: () => leg,
    heard,
    heardWide,
    digits,
    open(remote) {
      if (leg) {
        leg.update(remote);
        return;
      }
      leg = openRtpLeg(port, remote, { clock: systemClock, random: randomBytes });
      leg.listen({
        packet(sequence, _, payload, wide) {
          heard.set(sequence, Buffer.from(payload));
          if (wide) heardWide.set(sequence, wide.slice());
        },
        dtmf: (digit) => void digits.push(digit),
        ended() {},
      });
    },
    async say(bytes) {
      const begin = performance.now();
      for (let at = 0; at + 160 <= bytes.length; at += 160) {
        leg!.send(bytes.subarray(at, at + 160));
        await pause(Math.max(0, begin + (at / 160 + 1) * 20 - performance.now()));
      }
    },
  };
  return sound;
}

/** A call with everything that happened in it. */
export type WatchedCall = { call: SipCall; events: string[]; end(): CallEnd | undefined; sound: Sound };

/** What a call's events are written down as, with its sound opened as soon as there is any. */
export function watched(sound: Sound): { on: CallEvents; events: string[]; end(): CallEnd | undefined } {
  const events: string[] = [];
  let end: CallEnd | undefined;
  const on: CallEvents = {
    proceeding: () => void events.push("proceeding"),
    ringing: (status) => void events.push(`ringing ${status}`),
    earlyMedia(remote) {
      events.push("early media");
      sound.open(remote);
    },
    answered(remote) {
      events.push("answered");
      sound.open(remote);
    },
    media(remote) {
      events.push("media");
      sound.open(remote);
    },
    held: (isHeld) => void events.push(isHeld ? "held" : "taken up"),
    dtmf: (digit) => void events.push(`dtmf ${digit}`),
    transferred: ({ status, isFinal }) => void events.push(`transferred ${status}${isFinal ? " for good" : ""}`),
    ended(why) {
      events.push(`ended: ${why.cause}`);
      end = why;
    },
  };
  return { on, events, end: () => end };
}

/** Calls the peer. */
export async function aCall(
  owner: Owner,
  agent: SipAgent,
  request: Partial<CallRequest> = {},
  srtp: boolean | SrtpSuite = false,
  codecs?: RtpPort["local"]["codecs"],
): Promise<WatchedCall> {
  const sound = await aSound(owner, srtp, codecs);
  const { on, events, end } = watched(sound);
  const call = agent.call(
    "peer",
    { from: "+12125550100", to: "+12125550123", callId: randomUUID(), local: sound.port.local, ...request },
    on,
  );
  return { call, events, end, sound };
}

/** Takes the next call of the peer's by `take`. */
export function nextCall(
  owner: Owner,
  agent: SipAgent,
  take: (call: InboundCall, sound: Sound) => void,
  srtp: boolean | SrtpSuite = false,
  codecs?: RtpPort["local"]["codecs"],
) {
  return new Promise<WatchedCall & { call: InboundCall }>((done) => {
    agent.onInvite(async (call) => {
      const sound = await aSound(owner, srtp, codecs);
      const { on, events, end } = watched(sound);
      call.listen(on);
      take(call, sound);
      done({ call, events, end, sound });
    });
  });
}

/** Sound that is like nothing else: no two frames are the same, and a shift of one sample shows. */
export function noise(frames: number): Buffer {
  return randomBytes(frames * 160);
}

/** The share of `said`'s frames that were heard as they were, wherever they came. */
export function shareHeard(said: Buffer, heard: ReadonlyMap<number, Buffer>): number {
  const frames = new Set([...heard.values()].map((frame) => frame.toString("latin1")));
  let found = 0;
  for (let at = 0; at < said.length; at += 160) {
    if (frames.has(said.toString("latin1", at, at + 160))) found++;
  }
  return found / (said.length / 160);
}
