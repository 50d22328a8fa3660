import type { Answerer } from "./call.ts";
import type { CallReport } from "./report.ts";

// 47 CFR 64.1200(a)(7): at most 3 % of the calls that a person answered may be abandoned, by campaign and over 30 days; a call is abandoned
// when nobody of ours has spoken two seconds after the end of the person's greeting.

const SPEAKS_WITHIN_MS = 2_000;
const MOST_ABANDONED = 0.03;
const OVER_DAYS = 30;
/**
 * One abandoned call says nothing of a campaign: it would be over the limit until 33 others were answered. The law measures over the whole
 * period, and who is called one by one from the second on makes up for both.
 */
const TOLERATED = 1;

const MACHINES: ReadonlySet<Answerer> = new Set<Answerer>(["voicemail", "full_mailbox", "ivr", "call_screening"]);

/** A person took it, as far as is known: menus, mailboxes and screening services are nobody who could be left waiting for a word. */
export function isAnsweredLive(report: Pick<CallReport, "durationMs" | "inVoicemail" | "answerer">): boolean {
  return report.durationMs > 0 && !report.inVoicemail && !MACHINES.has(report.answerer ?? "unknown");
}

/**
 * Answered by a person who waited too long for our first word: since the end of what it said before that, or since the answer where it said
 * nothing. Who hung up sooner did not wait. Of a call that was lost nobody knows what was said in it.
 */
export function isAbandoned(
  report: Pick<CallReport, "status" | "durationMs" | "inVoicemail" | "answerer" | "utterances">,
): boolean {
  if (report.status !== "ended" || !isAnsweredLive(report)) return false;
  const spokeAtMs = report.utterances.find(({ role }) => role === "agent")?.startMs ?? report.durationMs;
  const greeting = report.utterances.find(({ role, startMs }) => role === "contact" && startMs < spokeAtMs);
  return spokeAtMs - (greeting?.endMs ?? 0) > SPEAKS_WITHIN_MS;
}

const ANSWERED = "calls_answered";
const ABANDONED = "calls_abandoned";
const DAY_MS = 86_400_000;

/** Under what a campaign counts a call, if a person answered it: by the (UTC) day of its end. */
export function abandonmentCounts(report: CallReport): string[] {
  if (!isAnsweredLive(report)) return [];
  const day = new Date(report.endedAt).toISOString().slice(0, 10);
  return [`${ANSWERED}_${day}`, ...(isAbandoned(report) ? [`${ABANDONED}_${day}`] : [])];
}

/**
 * Whether a campaign has abandoned so many of the calls of the last 30 days, today among them, that it may place one call at a time only,
 * until it has made up for them.
 */
export function abandonsTooMany(counted: Readonly<Record<string, number>>, now: Date): boolean {
  const days = Array.from({ length: OVER_DAYS }, (_, i) =>
    new Date(now.getTime() - i * DAY_MS).toISOString().slice(0, 10),
  );
  const sum = (name: string) => days.reduce((n, day) => n + (counted[`${name}_${day}`] ?? 0), 0);
  const abandoned = sum(ABANDONED);
  return abandoned > TOLERATED && abandoned > sum(ANSWERED) * MOST_ABANDONED;
}

/** 47 CFR 64.1200(a)(6): an unanswered call is not given up before 15 seconds, or four rings. */
const LEAST_RING_MS = 15_000;

/** How long a call that we place rings, where its agent wants it to ring so long. */
export const ringMs = (wantedMs: number): number => Math.max(LEAST_RING_MS, wantedMs);
