import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createSipAgent, type SipAgent } from "#adapters/sip-calls/agent.ts";
import type { InboundCall } from "#adapters/sip-calls/call.ts";
import { openSoundBridge } from "#adapters/sound-bridge/bridge.ts";
import type { NumberedTrunk } from "#app/settings/call-settings.ts";
import { type Config, inheritedEnv } from "#app/settings/config.ts";
import { sealer } from "#app/settings/sealing.ts";
import { digester, secretKey } from "#app/settings/secret-key.ts";
import { callsTranscribed } from "#app/speech.ts";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { Accounts } from "#operations/carriers.ts";
import type { Log } from "#operations/context.ts";
import type { CallLine, CallLines, IncomingCalls } from "#ports/call-line.ts";
import type { TrunkStore } from "#ports/number-inventory.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { SoundBridge } from "#ports/sound-bridge.ts";
import type { Tx } from "#store/database/db.ts";
import { createPlane, type Plane } from "./plane.ts";
import { OPEN_RECORDINGS, salvageRecording } from "./recordings.ts";
import { type SipLine, sipCapabilities, sipLine, sipLineName } from "./sip-line.ts";
import type { Streams } from "./stream-line.ts";

/** By then a node that stops has ended, or another has replaced it. */
const STOPPING_RETRY_AFTER_MS = 30_000;

/** The purpose that the access tokens of microphone connections are signed for. */
export const SOUND_LINES = "sound-lines";

/** The purpose that the tickets of carriers' streams are sealed for. */
export const STREAM_TICKETS = "stream-tickets";

/** What only a media node has: the processes for sound, and the signalling of its trunks. */
export type Sound = {
  plane: Plane;
  signalling: Signalling;
  /** Simulated calls with sound at a time: as many as its speech-to-text can transcribe or, without one, as its processes hold. */
  simulatedAtOnce: number;
  /** Bridge for simulated calls by microphone; undefined without speech-to-text, or where simulated calls are text. */
  bridge: SoundBridge | undefined;
  /** Calls whose sound comes by a carrier's streams; undefined without speech-to-text. */
  streams: Streams | undefined;
  /** What was dropped of what came over the network, signalling and sound together. */
  drops(): NetworkDrops;
  close(): Promise<void>;
};

/** Where SIP is spoken: from the start where the service has trunks, else from the first trunk of a tenant's on. */
export type Signalling = {
  /** Undefined until it is open. */
  agent(): SipAgent | undefined;
  open(): Promise<SipAgent>;
  /** Who takes calls to us. */
  onInvite(listener: (call: InboundCall) => void): void;
  /** Whose each tenant's trunk is, by its name, while calls are taken from it. */
  tenants: Map<string, { tenantId: LiveTenantId }>;
};

function signallingOf(config: Config, log: Log, opened: () => void): Signalling & { close(): Promise<void> } {
  let agent: SipAgent | undefined;
  let opening: Promise<SipAgent> | undefined;
  let listener: ((call: InboundCall) => void) | undefined;
  async function open(): Promise<SipAgent> {
    agent = await createSipAgent({
      trunks: config.sipTrunks ?? [],
      bind: {
        address: config.sipAddress,
        udpPort: config.sipPort,
        tcpPort: config.sipPort,
        ...(config.sipPublicAddress ? { publicAddress: config.sipPublicAddress } : {}),
      },
      log: (level, message, detail) => (level === "debug" ? undefined : log[level]({ ...detail }, message)),
    });
    if (listener) agent.onInvite(listener);
    opened();
    return agent;
  }
  return {
    agent: () => agent,
    open() {
      opening ??= open().catch((error: unknown) => {
        // Another process may have the port, and give it up.
        opening = undefined;
        throw error;
      });
      return opening;
    },
    onInvite(next) {
      listener = next;
      agent?.onInvite(next);
    },
    tenants: new Map(),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/**
 * Opens the sockets for SIP, if there are trunks, and for microphones. Processes for sound are started where calls will have one: the first
 * would else be answered some seconds before anything is heard in it.
 */
export async function openSound(config: Config, log: Log): Promise<Sound> {
  const recordings = join(config.dataDir, OPEN_RECORDINGS);
  const children = config.mediaProcesses ?? Math.max(1, availableParallelism() - 1);
  const plane = createPlane({
    children,
    callsPerChild: config.mediaCalls,
    entry: new URL("./child.ts", import.meta.url),
    env: inheritedEnv({}),
    salvage: (plan) => salvageRecording(recordings, plan.callId),
    log,
  });
  if (config.sipTrunks || config.simulatorCalls === "audio") plane.warm();
  const signalling = signallingOf(config, log, plane.warm);
  if (config.sipTrunks) await signalling.open();
  const transcribedAtOnce = children * Math.min(config.mediaCalls, callsTranscribed(config));
  const root = secretKey(config);
  const bridge =
    transcribedAtOnce > 0
      ? await openSoundBridge({
          host: config.soundAddress,
          port: config.soundPort,
          sign: digester(root, SOUND_LINES),
          sealer: sealer(root, STREAM_TICKETS),
        })
      : undefined;
  return {
    plane,
    signalling,
    simulatedAtOnce: transcribedAtOnce > 0 ? transcribedAtOnce : children * config.mediaCalls,
    bridge: config.simulatorCalls === "text" ? undefined : bridge,
    streams: bridge && { bridge, held: new Map() },
    drops: () => ({ ...signalling.agent()?.drops(), ...plane.drops() }),
    async close() {
      await signalling.close();
      await bridge?.close();
      await plane.close();
    },
  };
}

/** The lines of the configured trunks. Without `sound` they can be listed and queried, but take no calls. */
export function trunkLines(
  config: Config,
  parts: { trunks: TrunkStore; store: ObjectStore; sound: Sound | undefined; now(): Date; log: Log },
): (CallLine | SipLine)[] {
  const { trunks, sound } = parts;
  return (config.sipTrunks ?? []).map((trunk) => {
    const mayCallFrom = async (tenantId: string, number: string) =>
      (await trunks.owners(sipLineName(trunk), [number])).get(number) === tenantId;
    const agent = sound?.signalling.agent();
    return agent
      ? sipLine({ ...parts, agent, plane: sound!.plane, trunk, mayCallFrom })
      : distantLine(trunk, mayCallFrom);
  });
}

/**
 * Accepts calls that come over trunks: a call belongs to the tenant that owns the called number; one to an unowned number is rejected. A tenant's
 * own trunk brings calls to its numbers alone (adapters/sip-transport/gatekeeper.ts), and so they are that tenant's. From `stopping` on all are rejected, since they would be cut off with the last of the others.
 */
export function takeSipCalls(
  { signalling }: { signalling: Pick<Signalling, "onInvite" | "tenants"> },
  parts: {
    trunks: TrunkStore;
    lines: CallLines;
    accounts: Pick<Accounts, "open">;
    db: Tx;
    incoming: IncomingCalls;
    stopping: AbortSignal;
    now(): Date;
    log: Log;
  },
): void {
  signalling.onInvite((call) => {
    // 503 with a time: the caller's carrier tries another of our nodes, and this one no more until then.
    if (parts.stopping.aborted) return call.reject(503, STOPPING_RETRY_AFTER_MS);
    const own = signalling.tenants.get(call.trunk);
    const carrier = own ? call.trunk : sipLineName({ name: call.trunk });
    const take = async () => {
      const tenantId = own?.tenantId ?? (await parts.trunks.owners(carrier, [call.to])).get(call.to);
      const line = (
        own ? (await parts.accounts.open(own.tenantId, carrier, { tx: parts.db }))?.line : parts.lines.byName(carrier)
      ) as SipLine | undefined;
      if (tenantId === undefined || line === undefined) return call.reject(404);
      const taken = await parts.incoming({
        tenantId,
        carrier,
        carrierId: call.callId,
        from: call.from,
        to: call.to,
        attestation: call.attestation,
        at: parts.now(),
        answer: (plan, on) => line.take(call, plan, on),
        refuse: (code) => call.reject(Number(code)),
      });
      // RFC 3261, 8.2.2.2: a proxy at which several of our nodes are registered has sent it to each, and another has it.
      if (taken === "known") call.reject(482);
    };
    take().catch((err) => {
      parts.log.warn({ err, trunk: call.trunk }, "a call to us could not be taken in");
      // 503: the caller's carrier may try another of our nodes.
      call.reject(503);
    });
  });
}

/** A trunk as seen from a process that holds no calls. */
function distantLine(trunk: NumberedTrunk, mayCallFrom: CallLine["mayCallFrom"]): CallLine {
  return {
    name: sipLineName(trunk),
    capabilities: sipCapabilities(trunk),
    room: () => 0,
    mayCallFrom,
    lookUp: async () => new Map(),
    begin() {
      throw new Error("calls are held by media nodes only");
    },
  };
}
