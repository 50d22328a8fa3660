import { type ChildProcess, fork } from "node:child_process";
import type { LocalMedia, RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { isGone, onceGone } from "#app/process/child-end.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import { dropCounter, NETWORK_DROPS, type NetworkDrops } from "#domain/system/network-drop.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Log } from "#operations/context.ts";
import type { CallObserver } from "#ports/call-line.ts";
import { type CallLimit, callLimit, type Pace } from "./call-limit.ts";
import {
  type ChildState,
  type FromChild,
  type LegPlan,
  MEASURE,
  NOTHING_SAID,
  type SoundResult,
  type ToChild,
} from "./protocol.ts";

/** A child that cannot start would otherwise be started as fast as the machine can. */
const RESTART_AFTER_MS = 500;
/** Reading the model and the voices takes a second; on a machine with much else to do, some. */
const READY_WITHIN_MS = 60_000;

export type PlaneCall = {
  /** The address on which the leg receives RTP. Rejects when no leg can be opened. */
  readonly local: Promise<LocalMedia | undefined>;
  begin(answeredAt: Date, remote?: RemoteMedia): void;
  move(remote: RemoteMedia): void;
  /** Audio of the other side, for a `web` leg: any number of frames. */
  receiveAudio(sound: Uint8Array): void;
  digit(digit: string): void;
  inject(text: string): boolean;
  end(reason: DisconnectionReason): void;
  /** Resolves once, also when the child died: then with what its recording shows. */
  readonly ended: Promise<SoundResult>;
};

export type PlaneListener = {
  report: CallObserver;
  transfer(to: string): Promise<boolean>;
  /** Keys for the signalling to press. */
  press?(digits: string): void;
  /** A frame of the agent's audio, for a `web` leg. */
  sound?(frame: Uint8Array): void;
  /** What of it has not been played yet is to be dropped. */
  clear?(): void;
};

/**
 * The node's side of the media plane: child processes that handle the audio of calls and nothing else,
 * as many as there are cores for it. Calls go to the one that has the fewest.
 * They are started with the first call, or before it, and again when one dies.
 */
export type Plane = {
  /** Starts the children now: the first call need not wait for them. */
  warm(): void;
  /** New calls that may begin now: those with them could all be heard well. One that is under way is opened all the same. */
  room(): number;
  open(plan: CallPlan, leg: LegPlan, on: PlaneListener): PlaneCall;
  /** Ends the children, and with them what they hold. */
  close(): Promise<void>;
  /** How the children that run are. */
  states(): Promise<ChildState[]>;
  /** What they have dropped of what came over the network, those that ended included. */
  drops(): NetworkDrops;
  /** Process ids of the children that run, for tests and metrics. */
  pids(): number[];
};

export type PlaneParts = {
  children: number;
  /** The most; where a child carries fewer, fewer may begin. */
  callsPerChild: number;
  entry: URL;
  env: NodeJS.ProcessEnv;
  /** What is left of the recording of a call whose child died. */
  salvage(plan: CallPlan): Promise<SoundResult["recording"]>;
  log: Log;
};

type Call = {
  plan: CallPlan;
  on: PlaneListener;
  opened: PromiseWithResolvers<LocalMedia | undefined>;
  over(result: SoundResult): void;
  beganAt: number | undefined;
  /** Messages that were injected before the call began. */
  early: string[];
};
type Child = {
  process: ChildProcess;
  calls: Map<Uuid, Call>;
  ready: Promise<void>;
  isReady: boolean;
  /** It says how many calls it carries as it is ready. */
  measures: boolean;
  limit: CallLimit;
  /** Called with undefined when the child ends before it has answered. */
  asked: ((state: ChildState | undefined) => void)[];
};

export function createPlane(parts: PlaneParts): Plane {
  const { log } = parts;
  let children: (Child | undefined)[] = Array.from({ length: parts.children });
  /** Until when each place stays empty, on performance.now()'s clock. */
  const blocked: number[] = Array.from({ length: parts.children }, () => 0);
  const drops = dropCounter();
  /** How many calls a child carries: measured by one of them, since all are on the same machine. */
  let carried: number | undefined;
  let isClosing = false;

  /** Another is started with the next call. */
  const block = (at: number) => {
    children[at] = undefined;
    if (!isClosing) blocked[at] = performance.now() + RESTART_AFTER_MS;
  };

  const startChild = (at: number): void => {
    let process: ChildProcess;
    const measures = carried === undefined && !children.some((child) => child?.measures);
    try {
      // With the options that this process was given, such as the bound on its young generation.
      process = fork(parts.entry, measures ? [MEASURE] : [], { env: parts.env });
    } catch (err) {
      log.error({ err }, "a media process could not be started");
      block(at);
      return;
    }
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    ready.catch(() => {});
    const limit = callLimit(parts.callsPerChild, carried);
    const child: Child = { process, calls: new Map(), ready, isReady: false, measures, limit, asked: [] };
    const patience = setTimeout(() => process.kill("SIGKILL"), READY_WITHIN_MS);
    process.on("message", (message) => {
      const notice = message as FromChild;
      if (notice.say === "state") return child.asked.shift()?.(notice.state);
      if (notice.say === "drops") {
        for (const kind of NETWORK_DROPS) drops.count(kind, notice.drops[kind] ?? 0);
        return;
      }
      if (notice.say === "pace") return notePace(child, notice.pace);
      if (notice.say !== "ready") return receive(child, notice);
      clearTimeout(patience);
      if (notice.carries !== undefined) noteCarried(notice.carries);
      child.isReady = true;
      resolve();
    });
    process.on("error", (err) =>
      log.error({ err }, "a media process could not be started, or could not be sent a message"),
    );
    onceGone(process, ({ code, signal }) => {
      clearTimeout(patience);
      reject(new Error("the media process ended"));
      block(at);
      if (child.calls.size > 0 || !isClosing) {
        log.warn({ code, signal, calls: child.calls.size }, "a media process ended, and its calls with it");
      }
      for (const call of child.calls.values()) lose(call);
      child.calls.clear();
      for (const report of child.asked.splice(0)) report(undefined);
    });
    children[at] = child;
  };
  const noteCarried = (calls: number) => {
    carried = calls;
    for (const child of children) if (child) child.limit = callLimit(parts.callsPerChild, carried);
    log.info({ measured: calls, most: parts.callsPerChild }, "it is known how many calls a media process carries");
  };
  const notePace = (child: Child, pace: Pace) => {
    const before = child.limit.calls();
    child.limit.note(pace);
    const calls = child.limit.calls();
    if (calls < before)
      log.warn({ ...pace, limit: calls }, "calls in a media process come near being late: fewer new ones may begin");
  };

  /** Ends a call whose child is gone: all that is known are its begin and its recording. */
  const lose = async (call: Call) => {
    call.opened.reject(new Error("the media process ended"));
    call.opened.promise.catch(() => {});
    if (call.beganAt === undefined) return call.over(NOTHING_SAID);
    const recording = await parts.salvage(call.plan).catch((err) => {
      log.error({ err, call: call.plan.callId }, "the recording of a call that was cut off cannot be saved");
      return undefined;
    });
    const durationMs = recording?.durationMs ?? Math.round(performance.now() - call.beganAt);
    call.over({ ...NOTHING_SAID, durationMs, ...(recording ? { recording } : {}) });
  };

  const receive = (child: Child, message: Exclude<FromChild, { say: "ready" | "state" | "drops" | "pace" }>) => {
    const call = child.calls.get(message.call);
    if (!call) return;
    const answer = (id: number, ok: boolean) => report(child, { do: "answer", call: message.call, id, ok });
    switch (message.say) {
      case "opened":
        if (message.error === undefined) call.opened.resolve(message.local);
        else {
          // The child has dropped this call.
          child.calls.delete(message.call);
          call.opened.reject(new Error(message.error));
          call.over(NOTHING_SAID);
        }
        break;
      case "event":
        call.on.report(message.event).then(
          () => answer(message.id, true),
          () => answer(message.id, false),
        );
        break;
      case "sound":
        call.on.sound?.(Buffer.from(message.sound, "base64"));
        break;
      case "press":
        call.on.press?.(message.digits);
        break;
      case "clear":
        call.on.clear?.();
        break;
      case "transfer":
        call.on.transfer(message.to).then(
          (ok) => answer(message.id, ok),
          () => answer(message.id, false),
        );
        break;
      case "ended":
        child.calls.delete(message.call);
        call.over(message.result);
        break;
    }
    if (child.calls.size === 0) child.limit.rest();
  };

  /** The channel may just have been closed: the child's exit is handled separately. */
  const report = (child: Child, message: ToChild) => {
    if (child.process.connected) child.process.send(message, () => {});
  };

  const startMissing = (most: number): void => {
    for (let at = 0; at < parts.children && most > 0; at++) {
      if (children[at] !== undefined || blocked[at]! > performance.now()) continue;
      startChild(at);
      most--;
    }
  };

  /** One that does not run is started for a call. */
  const roomOf = (child: Child | undefined): number =>
    child ? Math.max(0, child.limit.calls() - child.calls.size) : callLimit(parts.callsPerChild, carried).calls();

  /**
   * The one with the fewest calls. One that is still starting only when no other has room, for a call would be silent until then; one that has
   * more than it carries only when all have.
   */
  const free = (): Child | undefined => {
    if (!children.some((child) => child?.calls.size === 0)) startMissing(1);
    const rank = (child: Child) => (child.calls.size < child.limit.calls() ? 0 : 2) + (child.isReady ? 0 : 1);
    return children
      .filter((child) => child !== undefined)
      .filter((child) => child.calls.size < parts.callsPerChild)
      .toSorted((a, b) => rank(a) - rank(b) || a.calls.size - b.calls.size)[0];
  };

  return {
    warm: () => startMissing(parts.children),
    room: () => (isClosing ? 0 : children.reduce((sum, child) => sum + roomOf(child), 0)),
    open(plan, leg, on) {
      const { promise: ended, resolve: over } = Promise.withResolvers<SoundResult>();
      const opened = Promise.withResolvers<LocalMedia | undefined>();
      opened.promise.catch(() => {});
      const call: Call = { plan, on, opened, over, beganAt: undefined, early: [] };
      const child = isClosing ? undefined : free();
      if (!child) {
        opened.reject(new Error("there is no media process that could take the call"));
        over(NOTHING_SAID);
      } else {
        child.calls.set(plan.callId, call);
        child.ready.then(() => report(child, { do: "open", call: plan.callId, plan, leg })).catch(() => {});
      }
      const say = (message: ToChild) => child && report(child, message);
      const id = plan.callId;
      const isOpen = () => child?.calls.has(id) === true;
      return {
        local: opened.promise,
        ended,
        begin(answeredAt, remote) {
          call.beganAt = performance.now();
          if (plan.agent.record && isOpen()) {
            // Before the first frame: a recording is expected even if the process dies with that frame.
            on.report({ kind: "recorded", at: answeredAt.toISOString() }).catch(() => {});
          }
          say({ do: "begin", call: id, answeredAt: answeredAt.toISOString(), ...(remote ? { remote } : {}) });
          for (const text of call.early.splice(0)) say({ do: "inject", call: id, text });
        },
        move: (remote) => void say({ do: "move", call: id, remote }),
        receiveAudio: (sound) =>
          void say({ do: "receive-audio", call: id, sound: Buffer.from(sound).toString("base64") }),
        digit: (digit) => void say({ do: "digit", call: id, digit }),
        inject(text) {
          if (!isOpen()) return false;
          if (call.beganAt === undefined) call.early.push(text);
          else say({ do: "inject", call: id, text });
          return true;
        },
        end: (reason) => void say({ do: "end", call: id, reason }),
      };
    },
    async close() {
      isClosing = true;
      const running = children.filter((child) => child !== undefined);
      await Promise.all(
        running.map(async ({ process }) => {
          if (isGone(process)) return;
          const ended = new Promise((resolve) => process.once("exit", resolve));
          process.kill("SIGTERM");
          const patience = setTimeout(() => process.kill("SIGKILL"), 5_000);
          await ended;
          clearTimeout(patience);
        }),
      );
      children = [];
    },
    async states() {
      const running = children.filter((child) => child !== undefined);
      const answers = running.map((child) => {
        const { promise, resolve } = Promise.withResolvers<ChildState | undefined>();
        child.asked.push(resolve);
        report(child, { do: "report" });
        return promise;
      });
      return (await Promise.all(answers)).filter((answer) => answer !== undefined);
    },
    drops: drops.totals,
    pids: () => children.flatMap((child) => (child?.process.pid === undefined ? [] : [child.process.pid])),
  };
}
