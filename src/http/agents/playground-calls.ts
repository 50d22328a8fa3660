import * as contract from "#contract/agents/playground-calls.ts";
import { refuseOtherTenant } from "#domain/accounts/tenant.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { Utterance } from "#domain/calls/report.ts";
import { failure } from "#domain/values/errors.ts";
import { type PageLine, pageLine } from "#http/calls/page-line.ts";
import { places } from "#http/calls/places.ts";
import { type Edge, route } from "#http/server/route.ts";
import { messageOf, type Spoken } from "#http/server/spoken.ts";
import { latencyView } from "#http/server/views.ts";
import { actionsOf, judgeWebCall, planWebCall } from "#operations/agents/try-agent.ts";
import type { Caller } from "#operations/context.ts";
import type { WebCall, WebCallEvents, WebCallResult } from "#ports/web-calls.ts";
import { extractionView, triedOf } from "./playground.ts";

/** Whoever has opened a socket has that long to name the agent to talk to. */
const START_WITHIN_MS = 10_000;
const JUDGED_WITHIN_MS = 60_000;

/** Calls by the browser's microphone, of this process. */
export function playgroundCallRoutes(edge: Edge): void {
  const { ctx, webCalls } = edge;
  const seats = places(webCalls.atOnce);

  const open = async ({ tenantId }: Caller, plan: CallPlan, on: WebCallEvents): Promise<WebCall> => {
    if (webCalls.atOnce === 0)
      throw failure(
        "voice_not_enabled",
        "No speech-to-text is available: install pocketsphinx, or name a provider of speech-to-text",
      );
    const leave = seats.take(tenantId);
    try {
      const call = await webCalls.open(plan, on);
      call.ended.finally(leave);
      return call;
    } catch (error) {
      leave();
      throw error;
    }
  };

  const conclude = async (line: PageLine, caller: Caller, plan: CallPlan, result: WebCallResult) => {
    if (!line.isOpen()) return;
    line.send(endView(result));
    const extraction = await judgeWebCall(ctx, caller, plan, result, AbortSignal.timeout(JUDGED_WITHIN_MS));
    line.send({ type: "findings", extraction: extraction && extractionView(ctx, extraction) });
    line.finish();
  };

  const talk =
    (caller: Caller): Spoken =>
    (socket) => {
      let call: WebCall | undefined;
      let isAsked = false;
      let isGone = false;
      const line = pageLine(socket, ctx.log, {
        async word(data) {
          if (isAsked) return take(data);
          isAsked = true;
          clearTimeout(patience);
          await start(data);
        },
        sound: (frames) => call?.receiveAudio(frames),
        gone() {
          isGone = true;
          clearTimeout(patience);
          call?.hangUp();
        },
      });
      const patience = setTimeout(
        () => line.fail(failure("request_timeout", "The first message did not come")),
        START_WITHIN_MS,
      );
      const start = async (data: Buffer) => {
        const message = messageOf(contract.CallStart, data);
        refuseOtherTenant(caller.accountId, message);
        const { type: _, objective, ...tried } = message as Start;
        const plan = await planWebCall(ctx, caller, { ...triedOf(tried), objective });
        if (isGone) return;
        call = await open(caller, plan, {
          sound: line.say,
          utterance: (utterance) => line.send(utteranceView(utterance)),
        });
        if (isGone) return call.hangUp();
        call.ended.then((result) => conclude(line, caller, plan, result)).catch(line.fail);
        line.send({ type: "started" });
        line.start();
      };
      const take = (data: Buffer) => {
        const word = messageOf(contract.CallWord, data) as { type: "hangup" } | { type: "digit"; digit: string };
        if (word.type === "hangup") call?.hangUp();
        else call?.digit(word.digit);
      };
    };

  route(edge, contract.playCall, async ({ caller }) => talk(caller));
}

type Start = { type: "start"; objective?: string } & Parameters<typeof triedOf>[0];

const utteranceView = ({ role, text, startMs, endMs, interrupted }: Utterance) => ({
  type: "utterance",
  role: role === "agent" ? "agent" : "user",
  text,
  start_ms: Math.round(startMs),
  end_ms: Math.round(endMs),
  interrupted: interrupted ?? false,
});

const endView = ({ reason, durationMs, latencies, requests }: WebCallResult) => ({
  type: "ended",
  disconnection_reason: reason,
  duration_ms: Math.round(durationMs),
  turns: latencies.map(latencyView),
  actions: actionsOf(requests),
});
