import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport, CarriedSound } from "#domain/calls/report.ts";
import type { Log } from "#operations/context.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { SoundResult } from "./protocol.ts";
import { keepRecording } from "./recordings.ts";

/** What the signalling says of a call's end: `reason` counts where nobody answered. */
type Signalled = { reason: DisconnectionReason; carrierCode?: string; carrierText?: string };

/** The report of a call over a line whose sound was held by the media plane, once its recording is kept. Never rejects. */
export async function lineReport(
  { store, log }: { store: ObjectStore; log: Log },
  plan: CallPlan,
  { dialedAt, answeredAt, endedAt }: { dialedAt: Date; answeredAt: Date | undefined; endedAt: Date },
  result: SoundResult,
  { reason, ...words }: Signalled,
  carried: CarriedSound | undefined,
): Promise<CallReport> {
  const shared = { dialedAt: dialedAt.toISOString(), ...words };
  if (!answeredAt) return { ...shared, ...unanswered(result), endedAt: endedAt.toISOString(), reason };
  const { recording, ...outcome } = result;
  const kept =
    recording &&
    (await keepRecording(store, plan, recording).catch((err) => {
      // The complete file stays where it is; the sweep stores it later.
      log.error({ err, call: plan.callId }, "a recording could not be stored");
      return undefined;
    }));
  return {
    ...shared,
    ...outcome,
    ...(carried ? { carried } : {}),
    status: result.reason.startsWith("error_") ? "error" : "ended",
    answeredAt: answeredAt.toISOString(),
    endedAt: new Date(answeredAt.getTime() + result.durationMs).toISOString(),
    ...(kept ? { recording: kept } : {}),
  };
}

function unanswered({ usage }: SoundResult): Omit<CallReport, "reason" | "dialedAt" | "endedAt"> {
  return {
    status: "not_connected",
    durationMs: 0,
    inVoicemail: false,
    voicemailLeft: false,
    utterances: [],
    latencies: [],
    requests: {},
    usage,
  };
}
