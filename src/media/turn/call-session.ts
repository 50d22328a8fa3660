import type { Answerer, DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent, CallReport, ContactRequests, TurnLatency } from "#domain/calls/report.ts";
import { type Ending, nextInSilence, receptionOf, settlePromise } from "#domain/calls/rules.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Playback } from "#media/audio/playback.ts";
import type { CallDialog, DialogPart } from "#ports/call-dialog.ts";
import { type AgentTurn, agentTurn } from "./agent-turn.ts";
import { type BargeInDetector, isBackchannel } from "./barge-in.ts";
import { callLog } from "./call-log.ts";
import type { Endpointing } from "./endpointing.ts";
import type { Speaker } from "./speaker.ts";
import type { ContactTurn, TurnTranscript } from "./transcript.ts";

/** How often the agent asks whether the contact is still there. */
const MAX_REMINDERS = 2;
/** After the last word of a goodbye, for buffers between here and the contact. */
const HANG_UP_AFTER_MS = 300;
/** An operator's text that was cut off before this many words were played is said again. */
const MIN_PLAYED_WORDS = 3;
/** Keys come one by one; what was pressed is a number once this long nothing follows, or at `#`. */
const KEYS_TOGETHER_MS = 1_500;

/** Said when a telephone is picked up. Into the agent's greeting it is no interruption, and no question. */
const HELLO = /^(?:(?:hello|hallo|hi|hey|yes|yeah|yep|good (?:morning|afternoon|evening))(?: |$))+$/;

/** How a session went: what a report says about what was said. */
export type SessionResult = Pick<
  CallReport,
  "inVoicemail" | "voicemailLeft" | "utterances" | "latencies" | "requests"
> & { answerer: Answerer | undefined; reason: DisconnectionReason; durationMs: number };

export type SessionParts = {
  plan: CallPlan;
  dialog: CallDialog;
  playback: Playback;
  speaker: Speaker;
  turnTranscript: TurnTranscript;
  endpointing: Endpointing;
  bargeIn: BargeInDetector;
  report(event: CallEvent): Promise<void>;
  /** Transfers the call; false when the other side refused it. */
  transfer(to: string): Promise<boolean>;
  dtmf(digits: string): void;
  /** Called once. */
  over(result: SessionResult): void;
  /** A time of the call in the tenant's own time, ISO 8601. */
  date(ms: number): string;
};

/**
 * One call as a conversation: who speaks, who is listened to, who has been cut off, and when it is over. It gets
 * speech edges, words and verdicts, and queues sentences for playback; it handles no samples. Every time is milliseconds since the answer.
 */
export type CallSession = {
  /** Every 20 ms, after the incoming frame was processed and before the outgoing one is played. */
  tick(nowMs: number): void;
  /** A frame of the agent's speech has just left. */
  played(nowMs: number): void;
  speech(edge: "onset" | "offset", atMs: number): void;
  /** All the words of the contact's current turn, as far as they are known. */
  words(text: string): void;
  turn(turn: ContactTurn): void;
  digit(digit: string): void;
  /** Who answered, as soon as it is known, and again when it turns out otherwise. */
  answeredBy(answerer: Answerer): void;
  /** The first words, unless something has been said already. */
  greet(): void;
  /** The voicemail records: the message is played from its beginning, also when it was begun before. */
  leaveMessage(): void;
  /** It does not record yet: its greeting goes on. */
  stopMessage(): void;
  inject(text: string): boolean;
  end(reason: DisconnectionReason): void;
  /** What the contact said last, whose words came after the call was over: a wish to be left alone in it holds. */
  late(turn: ContactTurn): Pick<SessionResult, "utterances" | "requests">;
};

export function callSession(parts: SessionParts): CallSession {
  const { plan, dialog, playback, speaker, turnTranscript, endpointing, bargeIn } = parts;
  const { agent } = plan;
  const log = callLog();
  const requests: ContactRequests = {};
  let phase: "opening" | "talking" | "voicemail" | "over" = "opening";
  let nowMs = 0;
  let current:
    | { turn: AgentTurn; answers: ContactTurn | undefined; hasSounded: boolean; isGreeting: boolean; takesUp?: string }
    | undefined;
  /** Said into the agent's words without taking the turn: answered when the agent has done. */
  let waiting: ContactTurn[] = [];
  let ending: { outcome: Ending; atMs: number } | undefined;
  /** A transfer is under way: the agent is silent until the other side accepts or refuses, however long that takes. */
  let isTransferring = false;
  /** When the last transfer failed: the latency of answers to earlier words is not the agent's, and is not measured. */
  let backMs = 0;
  /** Injected by an operator before the greeting, or cut off before the contact heard it: taken up when nobody speaks. */
  const pendingTexts: string[] = [];
  /** When the greeting began: words from before it, which may be transcribed after it, are answered by it. */
  let greetedMs = -1;
  let answerer: Answerer | undefined;
  let voicemailLeft = false;
  let lastSoundMs = 0;
  let reminders = 0;
  let keys = "";
  let keyAtMs = 0;

  /** Checked after an await, during which the call may have ended. */
  const isOver = () => phase === "over";
  const report = (event: CallEvent) => parts.report(event).catch(() => {});

  const begin = (think: (signal: AbortSignal) => AsyncIterable<DialogPart>, answers?: ContactTurn) => {
    const turn = agentTurn(think, {
      speaker,
      requests,
      report: parts.report,
      dtmf: parts.dtmf,
      nowMs: () => nowMs,
      date: () => parts.date(nowMs),
    });
    current = { turn, answers, hasSounded: false, isGreeting: false };
    bargeIn.reset();
    turn.done.then(
      (outcome) => {
        if (outcome && current?.turn === turn) ending = { outcome, atMs: Number.POSITIVE_INFINITY };
      },
      () => {
        if (current?.turn === turn) end("error_unknown");
      },
    );
  };

  const say = (text: string) =>
    begin(async function* () {
      yield { kind: "sentence", text };
    });

  /** Logs what was played as an utterance and passes it to the dialog. Returns its number of words. `isWhole`: nothing was cut off. */
  const account = (isWhole: boolean): number => {
    const played = playback.take();
    settlePromise(requests, played?.text ?? "", isWhole && played !== undefined);
    if (phase !== "voicemail") dialog.played(played?.text ?? "");
    if (!played) return 0;
    const utterance = log.spoken(played);
    report({ kind: "utterance", utterance });
    return played.words.length;
  };

  /** They say hello while they are being greeted. */
  const isGreeted = (text: string) => current?.isGreeting === true && HELLO.test(foldText(text));

  /** Takes the turn away from the agent. */
  const cutOff = () => {
    if (!current) return;
    const { takesUp } = current;
    current.turn.abandon();
    current = undefined;
    ending = undefined;
    speaker.cut();
    if (account(false) < MIN_PLAYED_WORDS && takesUp !== undefined) pendingTexts.unshift(takesUp);
  };

  const answer = (turn: ContactTurn) => {
    phase = "talking";
    reminders = 0;
    begin((signal) => dialog.turn(turn.text, signal), turn);
  };

  const end = (reason: DisconnectionReason) => {
    if (phase === "over") return;
    cutOff();
    const inVoicemail = answerer === "voicemail" || answerer === "full_mailbox";
    phase = "over";
    parts.over({
      reason,
      answerer,
      inVoicemail,
      voicemailLeft,
      utterances: log.utterances(),
      latencies: log.latencies,
      requests,
      durationMs: Math.round(nowMs),
    });
  };

  const finishTurn = () => {
    current = undefined;
    account(true);
    if (phase === "voicemail") {
      voicemailLeft = true;
      return end("voicemail_reached");
    }
    // A transfer may fail: what was said into its announcement is answered then.
    if (ending?.outcome.kind === "transfer") return;
    const said = waiting;
    waiting = [];
    if (ending === undefined && said.length > 0) {
      answer({ ...said.at(-1)!, text: said.map((turn) => turn.text).join(" ") });
    }
  };

  const followEnding = async ({ outcome }: { outcome: Ending }) => {
    ending = undefined;
    if (outcome.kind === "goodbye") return end("agent_hangup");
    isTransferring = true;
    const isThrough = await parts.transfer(outcome.to).catch(() => false);
    isTransferring = false;
    if (isOver()) return;
    if (isThrough) {
      requests.transferredTo = outcome.to;
      return end("call_transfer");
    }
    backMs = nowMs;
    takeUp("The transfer failed.");
  };

  const makeWay = () => {
    if (!current?.hasSounded || !playback.isBusy()) return;
    const order = bargeIn.check(nowMs);
    if (order === "hold") playback.hold();
    else if (order === "resume") playback.goOn();
    // A goodbye is said to its end, whoever speaks into it.
    else if (order === "yield" && ending) playback.goOn();
    else if (order === "yield") cutOff();
  };

  const listen = () => {
    // A mailbox does not interrupt a message: `stopMessage` is called when its greeting goes on.
    if (phase !== "voicemail") makeWay();
    const over = endpointing.check(nowMs);
    if (over) turnTranscript.over(nowMs);
    turnTranscript.tick(nowMs);
  };

  const takeUp = (...texts: string[]) => {
    const text = [...pendingTexts.splice(0), ...texts].join("\n");
    begin((signal) => dialog.prompted({ kind: "injected", text }, signal));
    current!.takesUp = text;
  };

  const silence = () => {
    const isQuiet = !current && !isTransferring && !endpointing.isSpeaking() && !turnTranscript.isWaiting();
    if (!isQuiet) lastSoundMs = nowMs;
    const quiet = { quietSinceMs: lastSoundMs, countsFromMs: lastSoundMs, reminders };
    const next = nextInSilence(quiet, agent, phase === "talking" ? MAX_REMINDERS : 0);
    if (nowMs < next.atMs) return;
    if (next.kind === "end") return end("inactivity");
    reminders++;
    begin((signal) => dialog.prompted({ kind: "silence", reminder: reminders }, signal));
  };

  const pressed = () => {
    if (isTransferring) return;
    const digits = keys;
    keys = "";
    if (digits === "" || phase === "voicemail") return;
    cutOff();
    phase = "talking";
    begin((signal) => dialog.prompted({ kind: "dtmf", digits }, signal));
  };

  return {
    tick(ms) {
      if (phase === "over") return;
      nowMs = ms;
      if (ms >= agent.max_call_duration_ms) return end("max_duration_reached");
      listen();
      if (current?.turn.isDone() && !playback.isBusy()) finishTurn();
      if (ending && !current) {
        if (ending.atMs === Number.POSITIVE_INFINITY) ending.atMs = ms + HANG_UP_AFTER_MS;
        else if (ms >= ending.atMs) followEnding(ending);
      }
      // Keys from before a failed transfer wait until its failure has been announced.
      const mayReport = !current || keyAtMs >= backMs;
      if (keys !== "" && ms - keyAtMs >= KEYS_TOGETHER_MS && mayReport) pressed();
      const isTheirs = endpointing.isSpeaking() || endpointing.dueMs() !== undefined || turnTranscript.isWaiting();
      const isOurs = phase === "talking" && !current && !ending && !isTransferring;
      if (pendingTexts.length > 0 && isOurs && !isTheirs) takeUp();
      if (!isOver()) silence();
    },
    played(ms) {
      if (!current || current.hasSounded) return;
      current.hasSounded = true;
      if (current.answers && current.answers.endMs >= backMs)
        log.took(latencyOf(current.answers, current.turn.firstSentenceMs(), ms));
    },
    speech(edge, atMs) {
      if (phase === "over") return;
      if (edge === "onset") {
        endpointing.speech(atMs);
        bargeIn.speech(atMs);
        turnTranscript.goesOn();
        // The contact goes on before the answer began to play: the answer is dropped and made anew.
        if (current && !current.hasSounded && phase === "talking" && current.answers) cutOff();
      } else {
        endpointing.silence(atMs);
        bargeIn.silence(atMs);
      }
    },
    words(text) {
      endpointing.words(text);
      bargeIn.words(isGreeted(text) ? "" : text);
    },
    turn(turn) {
      if (phase === "over") return;
      report({ kind: "utterance", utterance: log.transcribed(turn) });
      if (phase === "voicemail" || ending?.outcome.kind === "goodbye") return;
      // A "hello?" is no question yet: the greeting answers it.
      if (phase === "opening") return;
      if (turn.startMs < greetedMs || isGreeted(turn.text)) return;
      if (!current && !ending && !isTransferring) return answer(turn);
      if (!isBackchannel(turn.text)) waiting.push(turn);
    },
    digit(digit) {
      if (phase === "over") return;
      if (digit !== "#") {
        keys += digit;
        keyAtMs = nowMs;
        return;
      }
      pressed();
    },
    answeredBy(kind) {
      if (phase === "over" || kind === answerer) return;
      answerer = kind;
      report({ kind: "answered_by", answerer: kind, at: parts.date(nowMs) });
      if (isTransferring) return;
      const reception = receptionOf(kind, agent, dialog.voicemailMessage());
      if (reception === "leave_message") {
        cutOff();
        phase = "voicemail";
      } else if (reception !== "talk") {
        end(reception);
      } else if (phase === "voicemail") {
        // A person after all: whatever was begun is dropped, and they are greeted.
        phase = "opening";
        cutOff();
      }
    },
    greet() {
      if (phase !== "opening") return;
      phase = "talking";
      lastSoundMs = nowMs;
      greetedMs = nowMs;
      say(dialog.greeting());
      current!.isGreeting = true;
    },
    leaveMessage() {
      if (phase !== "voicemail") return;
      cutOff();
      say(dialog.voicemailMessage()!);
    },
    stopMessage() {
      if (phase === "voicemail") cutOff();
    },
    inject(text) {
      if (phase === "over" || phase === "voicemail") return false;
      if (phase === "opening" || isTransferring) {
        pendingTexts.push(text);
        return true;
      }
      cutOff();
      takeUp(text);
      return true;
    },
    end,
    late(turn) {
      report({ kind: "utterance", utterance: log.transcribed(turn) });
      const said = wishOf(turn.text);
      // What is unclear means it, where nobody can be asked any more.
      if (said.wish !== "none") requests.optOut ??= { quote: said.quote };
      return { utterances: log.utterances(), requests };
    },
  };
}

/** What passed between the contact's last sound and the agent's first. */
function latencyOf(turn: ContactTurn, firstSentenceMs: number | undefined, soundMs: number): TurnLatency {
  const model = firstSentenceMs ?? soundMs;
  return {
    atMs: Math.round(turn.endMs),
    endpointingMs: Math.round(turn.overMs - turn.endMs),
    speechToTextMs: Math.round(turn.wordsMs - turn.overMs),
    // The clock goes by 20 ms.
    modelMs: Math.max(0, Math.round(model - turn.wordsMs)),
    voiceMs: Math.max(0, Math.round(soundMs - model)),
    totalMs: Math.round(soundMs - turn.endMs),
  };
}
