import { answererOf } from "#domain/calls/answerer.ts";
import type { Answerer, DisconnectionReason } from "#domain/calls/call.ts";
import type { CallEvent, ContactRequests, SpokenWord, Utterance } from "#domain/calls/report.ts";
import { type Ending, nextInSilence, receptionOf, settlePromise, takeAction } from "#domain/calls/rules.ts";
import type { CallDialog, CallDialogs, DialogPart, DialogPrompt } from "#ports/call-dialog.ts";
import type { CallObserver } from "#ports/call-line.ts";
import type { ConductedCall, Conductor, TextCall } from "#ports/scripted-contact.ts";
import { saidBy, wordsOf } from "./spoken-words.ts";
import { textClock } from "./text-clock.ts";

/** What lies between the end of one side's words and the other's first: people, and an agent that waits for their end. */
const CONTACT_PAUSE_MS = 700;
const AGENT_PAUSE_MS = 800;
/** People speak a moment after they take a call. */
const HELLO_AFTER_MS = 400;
const BEEP_MS = 500;
const AFTER_BEEP_MS = 400;
/** A voice that is talked over stops this long after the other began. */
const BARGE_IN_MS = 200;
/** One more than in a call with sound: at the third the dialog takes its leave. */
const MAX_REMINDERS = 3;
/** How often it is checked whether the person who plays a phone said something. */
const LISTEN_EVERY_MS = 250;

/** A conductor that creates a dialog for each call. */
export function textConductor(dialogs: CallDialogs): Conductor {
  return (call, on) => conductInText(dialogs(call.plan), call, on);
}

/**
 * Holds a call in words only. Times are made up from the words, so that transcripts, durations and end reasons are those of a call with
 * sound; nothing waits but for `call.reach`. Each side's words become an utterance when they end, by themselves, by an interruption or by the
 * end of the call. Never rejects: what goes wrong ends the call as `error_unknown`.
 */
export async function conductInText(dialog: CallDialog, call: TextCall, on: CallObserver): Promise<ConductedCall> {
  const { agent } = call.plan;
  const { contact } = call;
  const clock = textClock(call);
  const lines = [...contact.says];
  const utterances: Utterance[] = [];
  const requests: ContactRequests = {};
  let answerer: Answerer | undefined;
  let inVoicemail = false;
  let voicemailLeft = false;
  let voiceCharacters = 0;

  /** A failure to report an event does not end the call. */
  const report = (event: CallEvent) => on(event).catch(() => {});

  /** Records what has been said by now, and returns it. */
  const record = async (role: Utterance["role"], text: string, words: readonly SpokenWord[]): Promise<string> => {
    const utterance = saidBy(clock.nowMs, { role, text, words });
    if (utterance === undefined) return "";
    utterances.push(utterance);
    await report({ kind: "utterance", utterance });
    return utterance.text;
  };

  /** Also hears who answered, and does what is to be done about a machine. */
  const contactSays = async (text: string, afterMs: number): Promise<void> => {
    if (!(await clock.reach(clock.nowMs + afterMs))) return;
    const words = wordsOf(text, clock.nowMs, 1);
    await clock.reach(words.at(-1)?.endMs ?? clock.nowMs);
    await record("contact", text, words);
    // By words alone: what they leave open is taken for a person, and a person stays one.
    const verdict = answererOf(text) ?? "human";
    if (answerer === "human" || (answerer !== undefined && verdict !== "human")) return;
    answerer = verdict;
    await report({ kind: "answered_by", answerer, at: clock.date() });
    const message = dialog.voicemailMessage();
    const reception = receptionOf(answerer, agent, message);
    if (reception === "talk" || clock.isOver()) return;
    inVoicemail = reception !== "ivr_reached";
    if (reception === "leave_message") await leave(message!);
    else clock.end(reception);
  };

  /** When the contact's next line stops words that begin then. */
  const interruptedAt = (fromMs: number): number => {
    const { interruptsAfterMs } = contact;
    const never = interruptsAfterMs === undefined || lines.length === 0 || inVoicemail;
    return never ? Number.POSITIVE_INFINITY : fromMs + interruptsAfterMs + BARGE_IN_MS;
  };

  /** Speaks and performs the dialog's parts, until their end, an interruption, or the end of the call. */
  const agentSays = async (
    parts: AsyncIterable<DialogPart>,
    onGoodbye: DisconnectionReason = "agent_hangup",
    turn?: AbortController,
  ): Promise<void> => {
    const fromMs = clock.nowMs + AGENT_PAUSE_MS;
    const cutsAtMs = Math.min(interruptedAt(fromMs), clock.limitMs);
    const words: SpokenWord[] = [];
    const sentences: string[] = [];
    let ending: Ending | undefined;
    let isCut = false;
    for await (const part of parts) {
      if (part.kind === "sentence") {
        if (sentences.length === 0 && !(await clock.reach(fromMs))) break;
        sentences.push(part.text);
        words.push(...wordsOf(part.text, clock.nowMs, agent.voice_speed));
        voiceCharacters += part.text.length;
        const endsAtMs = words.at(-1)?.endMs ?? clock.nowMs;
        isCut = !(await clock.reach(Math.min(cutsAtMs, endsAtMs))) || cutsAtMs < endsAtMs;
        if (isCut) break;
      } else {
        const after = takeAction(requests, part);
        ending ??= after;
        // Not caught: an opt-out that could not be committed must not be confirmed.
        if (part.kind === "opt_out") await on({ ...part, at: clock.date() });
      }
      if (call.stop.aborted) break;
    }
    if (isCut) turn?.abort();
    const played = sentences.length > 0 ? await record("agent", sentences.join(" "), words) : "";
    settlePromise(requests, played, false);
    if (sentences.length > 0) dialog.played(played);
    if (isCut || clock.isOver() || ending === undefined) return;
    if (ending.kind === "goodbye") return clock.end(onGoodbye);
    requests.transferredTo = ending.to;
    clock.end("call_transfer");
  };

  const say = (text: string) =>
    agentSays(
      (async function* () {
        yield { kind: "sentence", text };
      })(),
    );

  const prompt = (why: DialogPrompt, onGoodbye?: DisconnectionReason) =>
    agentSays(dialog.prompted(why, call.stop), onGoodbye);

  const answer = (said: string) => {
    const turn = new AbortController();
    return agentSays(dialog.turn(said, turn.signal), "agent_hangup", turn);
  };

  const exchange = async (said: string, afterMs: number): Promise<void> => {
    await contactSays(said, afterMs);
    if (!clock.isOver()) await answer(said);
  };

  /** A mailbox is spoken to once, after its beep, and left. */
  const leave = async (message: string): Promise<void> => {
    if (await clock.reach(clock.nowMs + BEEP_MS + AFTER_BEEP_MS - AGENT_PAUSE_MS)) await say(message);
    voicemailLeft = !clock.isOver();
    clock.end("voicemail_reached");
  };

  /** Says what an operator has given; false when it is nothing. */
  const takeInjected = async (): Promise<boolean> => {
    const text = call.takeInjected();
    if (text !== undefined) await prompt({ kind: "injected", text });
    return text !== undefined;
  };

  /** Until a person who plays the phone says something or hangs up, an operator injects a text, or the call ends. */
  const silence = async (): Promise<void> => {
    const quiet = { quietSinceMs: clock.nowMs, countsFromMs: clock.nowMs, reminders: 0 };
    while (!clock.isOver()) {
      const said = await contact.played?.();
      if (said === null) return clock.end("user_hangup");
      if (said !== undefined) return exchange(said, 0);
      if (await takeInjected()) return;
      const next = nextInSilence(quiet, agent, MAX_REMINDERS);
      const atMs = contact.played ? Math.min(clock.nowMs + LISTEN_EVERY_MS, next.atMs) : next.atMs;
      if (!(await clock.reach(atMs))) return;
      if (clock.nowMs < next.atMs) continue;
      if (next.kind === "end") return clock.end("inactivity");
      quiet.reminders++;
      await prompt({ kind: "silence", reminder: quiet.reminders }, "inactivity");
      quiet.quietSinceMs = clock.nowMs;
    }
  };

  const goOn = async (): Promise<void> => {
    if (await takeInjected()) return;
    const line = contact.played ? undefined : lines.shift();
    if (line !== undefined) return exchange(line, contact.answersAfterMs ?? CONTACT_PAUSE_MS);
    if (contact.played || !contact.hangsUpWhenDone) return silence();
    if (await clock.reach(clock.nowMs + CONTACT_PAUSE_MS)) clock.end("user_hangup");
  };

  const hold = async (): Promise<void> => {
    const { greeting: hello } = contact;
    if (hello === undefined) await clock.reach(HELLO_AFTER_MS);
    else await contactSays(hello, HELLO_AFTER_MS);
    if (clock.isOver()) return;
    const asks = answerer === "ivr" || answerer === "call_screening";
    await (asks ? answer(hello!) : say(dialog.greeting()));
    while (!clock.isOver()) await goOn();
  };

  const isError = await hold().then(
    () => false,
    () => true,
  );
  const spokenMs = utterances.map((utterance) =>
    utterance.role === "contact" ? utterance.endMs - utterance.startMs : 0,
  );
  return {
    status: isError ? "error" : "ended",
    reason: isError ? "error_unknown" : (clock.reason ?? "agent_hangup"),
    durationMs: Math.round(clock.nowMs),
    answerer: answerer ?? "unknown",
    inVoicemail,
    voicemailLeft,
    utterances,
    // Without sound there is nothing to measure.
    latencies: [],
    requests,
    usage: { voiceCharacters, speechToTextMs: spokenMs.reduce((sum, ms) => sum + ms, 0), ...dialog.usage },
  };
}
