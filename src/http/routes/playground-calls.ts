import type { RawData, WebSocket } from "ws";
import * as contract from "#contract/playground-calls.ts";
import type { CallPlan } from "#domain/call-plan.ts";
import type { Utterance } from "#domain/call-report.ts";
import { failure, invalid, overloaded } from "#domain/errors.ts";
import { FRAME_MS, FRAME_SAMPLES } from "#domain/g711.ts";
import type { Caller } from "#operations/context.ts";
import { actionsOf, judgeWebCall, planWebCall } from "#operations/try-agent.ts";
import type { WebCall, WebCallResult } from "#ports/web-calls.ts";
import { asAppError } from "../error-handler.ts";
import { type Edge, route } from "../route.ts";
import { lastWord, messageOf, type Spoken } from "../spoken.ts";
import { latencyView } from "../views.ts";
import { extractionView, triedOf } from "./playground.ts";

/** Whoever has opened a socket has that long to say whom it wants to talk to. */
const START_WITHIN_MS = 10_000;
/** A page sends sound all the time, be it silence: one that sends none is gone. */
const QUIET_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** Sound that came faster than it can have been spoken, beyond what a network may have held back. */
const AHEAD_MS = 3_000;
/** What a page has not taken is not worth hearing any more: 2 s of sound. */
const MAX_BUFFERED = 16_000;
/** Of all calls that there may be at a time. */
const SHARE_OF_ONE = 1 / 2;
const JUDGED_WITHIN_MS = 60_000;

/** Calls by the browser's microphone, of this process. */
export function playgroundCallRoutes(edge: Edge): void {
  const { ctx, webCalls } = edge;
  const open = new Map<string, number>();
  let all = 0;

  const take = ({ tenantId }: Caller): (() => void) => {
    if (webCalls.atOnce === 0)
      throw failure("voice_not_enabled", "Nothing can hear here: install pocketsphinx, or name a provider of ears");
    const mine = open.get(tenantId) ?? 0;
    if (all >= webCalls.atOnce || mine >= Math.max(1, Math.floor(webCalls.atOnce * SHARE_OF_ONE)))
      throw overloaded("Too many such calls go on; try again when one has ended", 30);
    all++;
    open.set(tenantId, mine + 1);
    return () => {
      all--;
      if (mine === 0 && open.get(tenantId) === 1) open.delete(tenantId);
      else open.set(tenantId, open.get(tenantId)! - 1);
    };
  };

  const begin = async (socket: WebSocket, caller: Caller, data: Buffer): Promise<{ plan: CallPlan; call: WebCall }> => {
    const { type: _, objective, ...tried } = messageOf(contract.CallStart, data) as Start;
    const plan = await planWebCall(ctx, caller, { ...triedOf(tried), objective });
    const leave = take(caller);
    try {
      const call = await webCalls.open(plan, {
        sound(frame) {
          if (socket.bufferedAmount < MAX_BUFFERED) socket.send(frame);
        },
        utterance: (it) => tell(socket, utteranceView(it)),
      });
      call.ended.finally(leave);
      return { plan, call };
    } catch (error) {
      leave();
      throw error;
    }
  };

  const conclude = async (socket: WebSocket, caller: Caller, plan: CallPlan, result: WebCallResult) => {
    if (socket.readyState !== socket.OPEN) return;
    tell(socket, endView(result));
    const extraction = await judgeWebCall(ctx, caller, plan, result, AbortSignal.timeout(JUDGED_WITHIN_MS));
    tell(socket, { type: "findings", extraction: extraction && extractionView(ctx, extraction) });
    socket.close(1000);
  };

  route(
    edge,
    contract.playCall,
    async ({ caller }): Promise<Spoken> =>
      (socket) => {
        let call: WebCall | undefined;
        let isAsked = false;
        let startedAt = 0;
        let heardAt = 0;
        let heardMs = 0;

        const fail = (error: unknown) => {
          const known = asAppError(error);
          if (known.code === "internal") ctx.log.error({ err: error }, "a call from a page failed");
          tell(socket, lastWord(known));
          socket.close(known.status >= 500 ? 1011 : 1008);
        };
        const start = async (data: Buffer) => {
          isAsked = true;
          const begun = await begin(socket, caller, data);
          call = begun.call;
          startedAt = heardAt = performance.now();
          begun.call.ended.then((result) => conclude(socket, caller, begun.plan, result)).catch(fail);
          // It was closed while the call was being opened.
          if (socket.readyState !== socket.OPEN) return call.hangUp();
          tell(socket, { type: "started" });
        };
        const hear = (sound: Buffer) => {
          if (!call) return;
          if (sound.length % FRAME_SAMPLES !== 0)
            throw invalid({ field: "message", message: `of sound must be whole frames of ${FRAME_SAMPLES} bytes` });
          heardAt = performance.now();
          heardMs += (sound.length / FRAME_SAMPLES) * FRAME_MS;
          if (heardMs > heardAt - startedAt + AHEAD_MS)
            throw invalid({ field: "message", message: "of sound came faster than it can have been spoken" });
          call.hear(sound);
        };
        const obey = (data: Buffer) => {
          const word = messageOf(contract.CallWord, data) as { type: "hangup" } | { type: "digit"; digit: string };
          if (word.type === "hangup") call?.hangUp();
          else call?.digit(word.digit);
        };

        const patience = setTimeout(() => {
          if (!isAsked) fail(failure("request_timeout", "The first message did not come"));
        }, START_WITHIN_MS);
        const looking = setInterval(() => {
          if (call && performance.now() - heardAt > QUIET_MS) call.hangUp();
        }, LOOK_EVERY_MS);
        socket.on("message", (data: RawData, isBinary: boolean) => {
          try {
            if (isBinary) hear(data as Buffer);
            else if (isAsked) obey(data as Buffer);
            else start(data as Buffer).catch(fail);
          } catch (error) {
            fail(error);
          }
        });
        socket.on("close", () => {
          clearTimeout(patience);
          clearInterval(looking);
          call?.hangUp();
        });
      },
  );
}

type Start = { type: "start"; objective?: string } & Parameters<typeof triedOf>[0];

function tell(socket: WebSocket, message: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

const utteranceView = ({ role, text, startMs, endMs, interrupted }: Utterance) => ({
  type: "utterance",
  role: role === "agent" ? "agent" : "user",
  text,
  start_ms: Math.round(startMs),
  end_ms: Math.round(endMs),
  interrupted: interrupted ?? false,
});

const endView = ({ reason, durationMs, latencies, wishes }: WebCallResult) => ({
  type: "ended",
  disconnection_reason: reason,
  duration_ms: Math.round(durationMs),
  turns: latencies.map(latencyView),
  actions: actionsOf(wishes),
});
