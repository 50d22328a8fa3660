import type { Answerer, DisconnectionReason } from "#domain/calls/call.ts";
import type { CallEvent, CallWishes, SpokenWord, Utterance } from "#domain/calls/report.ts";
import type { CallDialog, CallDialogs, DialogPart } from "#ports/call-dialog.ts";
import type { CallObserver } from "#ports/call-line.ts";
import type { ConductedCall, Conductor, TextCall } from "#ports/scripted-contact.ts";

/** 150 words a minute of five letters each is how people talk on the telephone; a longer word takes longer. */
const WORD_MS = 160;
const LETTER_MS = 48;

/** What lies between the end of one side's words and the other's first: people, and an agent that waits for their end. */
const CONTACT_PAUSE_MS = 700;
const AGENT_PAUSE_MS = 800;
/** People speak a moment after they take a call. */
const HELLO_AFTER_MS = 400;
const BEEP_MS = 500;
const AFTER_BEEP_MS = 400;
/** A voice that is talked over stops this long after the other began. */
const BARGE_IN_MS = 200;
const REMINDER_AFTER_MS = 10_000;
const MAX_REMINDERS = 3;
/** How often it is checked whether the person who plays a phone said something. */
const LISTEN_EVERY_MS = 250;

/** A conductor that creates a dialog for each call. */
export function textConductor(dialogs: CallDialogs): Conductor {
  return (call, on) => conductInText(dialogs(call.plan), call, on);
}

/**
 * Holds a call in words only. Times are made up from the words, so that transcripts, durations and end reasons are those of a call with
 * sound; nothing waits but for `call.reach`. Never rejects: what goes wrong ends the call as `error_unknown`.
 */
export async function conductInText(dialog: CallDialog, call: TextCall, on: CallObserver): Promise<ConductedCall> {
  const session = new TextCallSession(dialog, call, on);
  let error = false;
  try {
    await session.hold();
  } catch {
    error = true;
  }
  return session.result(error);
}

/**
 * One call. `now` only grows; `reason` is set once and ends everything: whoever notices it returns. Each side's words become an utterance when
 * they end, by themselves, by an interruption or by the end of the call.
 */
class TextCallSession {
  readonly #dialog: CallDialog;
  readonly #call: TextCall;
  readonly #on: CallObserver;
  readonly #lines: string[];
  readonly #limitMs: number;
  readonly #utterances: Utterance[] = [];
  readonly #wishes: CallWishes = {};
  readonly #aborted: Promise<void>;
  #now = 0;
  #reason: DisconnectionReason | undefined;
  #answerer: Answerer | undefined;
  #inVoicemail = false;
  #voicemailLeft = false;
  #voiceCharacters = 0;

  constructor(dialog: CallDialog, call: TextCall, on: CallObserver) {
    this.#dialog = dialog;
    this.#call = call;
    this.#on = on;
    this.#lines = [...call.contact.says];
    this.#limitMs = Math.min(
      call.plan.agent.max_call_duration_ms,
      call.contact.hangsUpAtMs ?? Number.POSITIVE_INFINITY,
    );
    this.#aborted = new Promise((resolve) => {
      if (call.stop.aborted) resolve();
      else call.stop.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  async hold(): Promise<void> {
    const { greeting: hello } = this.#call.contact;
    if (hello !== undefined) {
      await this.#contactSays(hello, HELLO_AFTER_MS);
      if (this.#reason) return;
      if (await this.#leftToMachine()) return;
    } else if (!(await this.#reach(HELLO_AFTER_MS))) return;

    const asked = this.#answerer === "ivr" || this.#answerer === "call_screening";
    if (!asked) await this.#agentSays(spoken(this.#dialog.greeting()));
    else if (hello !== undefined) await this.#answer(hello);
    while (!this.#reason) await this.#nextExchange();
  }

  result(error: boolean): ConductedCall {
    const speechToTextMs = this.#utterances
      .filter(({ role }) => role === "contact")
      .reduce((sum, it) => sum + it.endMs - it.startMs, 0);
    return {
      status: error ? "error" : "ended",
      reason: error ? "error_unknown" : (this.#reason ?? "agent_hangup"),
      durationMs: Math.round(this.#now),
      answerer: this.#answerer ?? "unknown",
      inVoicemail: this.#inVoicemail,
      voicemailLeft: this.#voicemailLeft,
      utterances: this.#utterances,
      // Without sound there is nothing to measure.
      latencies: [],
      wishes: this.#wishes,
      usage: { voiceCharacters: this.#voiceCharacters, speechToTextMs, ...this.#dialog.usage },
    };
  }

  /** A mailbox is spoken to once, after its beep, and left. True when the call is over. */
  async #leftToMachine(): Promise<boolean> {
    if (this.#answerer !== "voicemail" && this.#answerer !== "full_mailbox") return false;
    if (!this.#call.plan.agent.detect_voicemail) return false;
    this.#inVoicemail = true;
    const message = this.#answerer === "voicemail" ? this.#dialog.voicemailMessage() : undefined;
    if (message !== undefined && (await this.#reach(this.#now + BEEP_MS + AFTER_BEEP_MS - AGENT_PAUSE_MS))) {
      await this.#agentSays(spoken(message));
      this.#voicemailLeft = this.#reason === undefined;
    }
    this.#end("voicemail_reached");
    return true;
  }

  async #nextExchange(): Promise<void> {
    const injected = this.#call.takeInjected();
    if (injected !== undefined) {
      await this.#agentSays(this.#dialog.prompted({ kind: "injected", text: injected }, this.#call.stop));
      return;
    }
    const { played } = this.#call.contact;
    if (played) return this.#listen(played);
    const line = this.#lines.shift();
    if (line !== undefined) {
      await this.#contactSays(line, this.#call.contact.answersAfterMs ?? CONTACT_PAUSE_MS);
      if (!this.#reason) await this.#answer(line);
    } else if (this.#call.contact.hangsUpWhenDone) {
      if (await this.#reach(this.#now + CONTACT_PAUSE_MS)) this.#end("user_hangup");
    } else await this.#silence();
  }

  /** Until a person who plays the phone says something or hangs up, or an operator injects a text; silence ends the call as any other. */
  async #listen(played: NonNullable<TextCall["contact"]["played"]>): Promise<void> {
    const endsAt = this.#now + this.#call.plan.agent.end_call_after_silence_ms;
    let remindAt = this.#now + REMINDER_AFTER_MS;
    let reminder = 0;
    while (!this.#reason) {
      const said = await played();
      if (said === null) return this.#end("user_hangup");
      if (said !== undefined) {
        await this.#contactSays(said, 0);
        return this.#reason ? undefined : this.#answer(said);
      }
      const injected = this.#call.takeInjected();
      if (injected !== undefined)
        return this.#agentSays(this.#dialog.prompted({ kind: "injected", text: injected }, this.#call.stop));
      if (!(await this.#reach(Math.min(this.#now + LISTEN_EVERY_MS, endsAt)))) return;
      if (this.#now >= endsAt) return this.#end("inactivity");
      if (this.#now < remindAt || reminder === MAX_REMINDERS) continue;
      reminder++;
      await this.#agentSays(this.#dialog.prompted({ kind: "silence", reminder }, this.#call.stop), "inactivity");
      remindAt = this.#now + REMINDER_AFTER_MS;
    }
  }

  async #silence(): Promise<void> {
    const since = this.#now;
    const endsAt = since + this.#call.plan.agent.end_call_after_silence_ms;
    for (let reminder = 1; reminder <= MAX_REMINDERS && !this.#reason; reminder++) {
      const at = Math.min(this.#now + REMINDER_AFTER_MS, endsAt);
      if (!(await this.#reach(at))) return;
      if (at === endsAt) return this.#end("inactivity");
      await this.#agentSays(this.#dialog.prompted({ kind: "silence", reminder }, this.#call.stop), "inactivity");
    }
    if (!this.#reason && (await this.#reach(Math.max(endsAt, this.#now)))) this.#end("inactivity");
  }

  async #answer(said: string): Promise<void> {
    const turn = new AbortController();
    await this.#agentSays(this.#dialog.turn(said, turn.signal), "agent_hangup", turn);
  }

  async #contactSays(text: string, afterMs: number): Promise<void> {
    if (!(await this.#reach(this.#now + afterMs))) return;
    const all = wordsOf(text, this.#now, 1);
    await this.#reach(all.at(-1)?.endMs ?? this.#now);
    const words = all.filter((word) => word.endMs <= this.#now);
    await this.#said("contact", text, words, all);
    await this.#judge(text);
  }

  /** By words alone: what they leave open is taken for a person. */
  async #judge(said: string): Promise<void> {
    const verdict = this.#dialog.answererOf(said) ?? "human";
    const settled = this.#answerer === "human" || (this.#answerer !== undefined && verdict !== "human");
    if (settled) return;
    this.#answerer = verdict;
    await this.#report({ kind: "answered_by", answerer: verdict, at: this.#time(this.#now) });
  }

  /** Speaks and performs the dialog's parts, until their end, an interruption, or the end of the call. */
  async #agentSays(
    parts: AsyncIterable<DialogPart>,
    onGoodbye: DisconnectionReason = "agent_hangup",
    turn?: AbortController,
  ): Promise<void> {
    const from = this.#now + AGENT_PAUSE_MS;
    const interruptedAt = this.#interruption(from);
    const words: SpokenWord[] = [];
    const sentences: string[] = [];
    let last: DisconnectionReason | undefined;
    let cutAt: number | undefined;
    for await (const part of parts) {
      if (part.kind === "sentence") {
        if (sentences.length === 0 && !(await this.#reach(from))) break;
        const next = wordsOf(part.text, this.#now, this.#call.plan.agent.voice_speed);
        const endsAt = next.at(-1)?.endMs ?? this.#now;
        sentences.push(part.text);
        words.push(...next);
        this.#voiceCharacters += part.text.length;
        cutAt = Math.min(interruptedAt, this.#limitMs) < endsAt ? Math.min(interruptedAt, this.#limitMs) : undefined;
        await this.#reach(cutAt ?? endsAt);
        if (this.#reason) cutAt = this.#now;
        if (cutAt !== undefined) break;
      } else last = (await this.#perform(part, onGoodbye)) ?? last;
      if (this.#call.stop.aborted) break;
    }
    if (cutAt !== undefined) turn?.abort();
    if (sentences.length > 0) await this.#agentSaid(sentences.join(" "), words, cutAt);
    if (cutAt === undefined && last !== undefined) this.#end(last);
  }

  /** Only lines that are left can be spoken into the agent's words. */
  #interruption(from: number): number {
    const { interruptsAfterMs } = this.#call.contact;
    const never = interruptsAfterMs === undefined || this.#lines.length === 0 || this.#inVoicemail;
    return never ? Number.POSITIVE_INFINITY : from + interruptsAfterMs + BARGE_IN_MS;
  }

  async #agentSaid(text: string, all: readonly SpokenWord[], cutAt: number | undefined): Promise<void> {
    const words = cutAt === undefined ? all : all.filter((word) => word.endMs <= cutAt);
    await this.#said("agent", text, words, all);
    this.#dialog.heard(words.length === all.length ? text : textOf(words));
  }

  async #said(
    role: Utterance["role"],
    text: string,
    words: readonly SpokenWord[],
    all: readonly SpokenWord[],
  ): Promise<void> {
    const [first, final] = [words[0], words.at(-1)];
    if (first === undefined || final === undefined) return;
    const cut = words.length < all.length;
    const utterance: Utterance = {
      role,
      text: cut ? textOf(words) : text,
      startMs: first.startMs,
      endMs: final.endMs,
      words: [...words],
      ...(cut && role === "agent" ? { interrupted: true } : {}),
    };
    this.#utterances.push(utterance);
    await this.#report({ kind: "utterance", utterance });
  }

  async #perform(part: Exclude<DialogPart, { kind: "sentence" }>, onGoodbye: DisconnectionReason) {
    switch (part.kind) {
      case "opt_out":
        this.#wishes.optOut ??= { quote: part.quote };
        // Not caught: an opt-out that could not be committed must not be confirmed.
        await this.#on({ kind: "opt_out", quote: part.quote, at: this.#time(this.#now) });
        return undefined;
      case "callback":
        this.#wishes.callback = { at: part.at, quote: part.quote };
        return undefined;
      case "transfer":
        this.#wishes.transferredTo = part.to;
        return "call_transfer" as const;
      case "goodbye":
        return this.#answerer === "ivr" ? "ivr_reached" : onGoodbye;
      case "dtmf":
        return undefined;
    }
  }

  /** Comes to a moment of the call, unless the call ends before: then it is at its end, and false. */
  async #reach(atMs: number): Promise<boolean> {
    if (this.#reason) return false;
    const at = Math.min(Math.max(atMs, this.#now), this.#limitMs);
    await Promise.race([this.#call.reach(at), this.#aborted]);
    if (this.#call.stop.aborted) {
      this.#end(this.#call.stopReason());
      return false;
    }
    this.#now = at;
    if (at < this.#limitMs) return true;
    const byContact = this.#limitMs === this.#call.contact.hangsUpAtMs;
    this.#end(byContact ? "user_hangup" : "max_duration_reached");
    return false;
  }

  #end(reason: DisconnectionReason): void {
    this.#reason ??= reason;
  }

  /** Reports an event; a failure to report it does not end the call. */
  async #report(event: CallEvent): Promise<void> {
    await this.#on(event).catch(() => {});
  }

  #time(atMs: number): string {
    return new Date(this.#call.answeredAt.getTime() + Math.round(atMs)).toISOString();
  }
}

async function* spoken(text: string): AsyncIterable<DialogPart> {
  yield { kind: "sentence", text };
}

const textOf = (words: readonly SpokenWord[]): string => words.map(({ word }) => word).join(" ");

/** The words of a text as they would be spoken from a moment on, at 1 as fast as people talk. */
function wordsOf(text: string, fromMs: number, speed: number): SpokenWord[] {
  let at = fromMs;
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const startMs = Math.round(at);
      at += (WORD_MS + LETTER_MS * Math.min(word.length, 20)) / speed;
      return { word, startMs, endMs: Math.round(at) };
    });
}
