import { foldText } from "#domain/values/fold.ts";
import { isBadNews } from "./bad-news.ts";

export type Keyword = "stop" | "start" | "help";

/** CTIA's words and the carriers' defaults, in English, Spanish and French, folded. */
const KEYWORDS: Record<Keyword, readonly string[]> = {
  stop: [
    ..."stop stopall unsubscribe cancel end quit revoke optout remove arret alto parar".split(" "),
    "stop all",
    "opt out",
    "стоп",
  ],
  start: ["start", "unstop"],
  help: ["help", "info", "ayuda", "aide"],
};

const KEYWORD_OF = new Map<string, Keyword>(
  (Object.keys(KEYWORDS) as Keyword[]).flatMap((kind) => KEYWORDS[kind].map((word) => [word, kind] as const)),
);

/** STOP and nothing else, whatever the case, by comparing alone: true of no text but it cannot be held by any. */
export function isPlainStop(text: string): boolean {
  const word = text.slice(0, 100).trim().toLowerCase();
  return text.length <= 100 && KEYWORDS.stop.includes(word);
}

/** A slip of the thumb that is no other word: stopp, sotp. */
const MISSPELT_STOP = /^(?:s+t+o+p+s?|sotp|stpo|tsop|stp)$/;

/** A keyword is short; only a message that quotes another one is long, and nobody's own words are longer. */
const MAX_LENGTH = 5_000;

/**
 * The keyword that a whole message is, or undefined. Case, accents, punctuation, spacing, emoji, look-alike letters and
 * quoted history do not count. `YES`, which carriers take for START, is none: who is asked something says it without meaning us.
 */
export function keywordOf(text: string): Keyword | undefined {
  const own = ownWords(text);
  if (own.trim() === "🛑") return "stop";
  const folded = foldText(own);
  if (folded.length > 60) return undefined;
  const spelt = /^(?:\w )+\w$/.test(folded) ? folded.replaceAll(" ", "") : folded;
  const once = spelt.replace(/^(\w+)(?: \1)+$/, "$1");
  const found = KEYWORD_OF.get(once) ?? KEYWORD_OF.get(once.replaceAll("0", "o"));
  if (found !== undefined) return found;
  if (MISSPELT_STOP.test(once)) return "stop";
  return KEYWORD_OF.get(own.trim().toLowerCase());
}

/** What a phone writes when a message is given a heart or a thumb: someone else's words, quoted. */
const REACTION =
  /^(?:(?:liked|loved|disliked|laughed at|emphasized|questioned)|reacted .{1,12} to|removed an? .{1,20} from|.{1,4} to) ["“].*["”]$/is;

/** Where the history that a mail program or a phone quotes begins. */
const QUOTED_HISTORY = /^[ \t]*(?:-+ ?original message|-+ ?forwarded message|on .{4,80} wrote:|from: .{3,80}$)/im;

/** Our own footer, quoted back: `Reply STOP to unsubscribe` in a question is not a wish to stop. */
const FOOTER = /\b(?:reply|text|txt|send|respond|answer)(?: with)? ["“']?stop["”']? (?:to|2) (?:opt[ -]?out|\w+)/gi;

/**
 * The message without what it quotes. What is left when nothing but quotation was there is the message itself, except a
 * reaction (`Liked "..."`), which has no words of its own.
 */
export function ownWords(text: string): string {
  const head = text.slice(0, MAX_LENGTH);
  if (REACTION.test(head.trim())) return "";
  const history = head.search(QUOTED_HISTORY);
  const own = (history > 0 ? head.slice(0, history) : head)
    .split("\n")
    .filter((line) => !/^\s*>/.test(line))
    .join("\n")
    .replace(FOOTER, " ");
  return /[\p{L}\p{N}🛑]/u.test(own) ? own : head;
}

/** Carriers ask for the sender's name in each of these; a name longer than this would cost a second segment. */
const MAX_SENDER_LENGTH = 40;

const sender = (organization: string): string =>
  foldText(organization) === ""
    ? "us"
    : organization
        .replace(/[{}\s]+/g, " ")
        .trim()
        .slice(0, MAX_SENDER_LENGTH)
        .trim();

/** The one text that follows an opt-out. No marketing, and the way back; after bad news one sentence of sympathy. */
export const optOutConfirmation = (organization: string, text: string): string =>
  `${isBadNews(foldText(ownWords(text))) ? "We are very sorry to hear that. " : ""}You are unsubscribed from ${sender(organization)} and will get no more messages. Reply START to resubscribe.`;

/** The answer to START. */
export const optInConfirmation = (organization: string): string =>
  `You are subscribed to messages from ${sender(organization)} again. Reply HELP for help, STOP to stop. Msg&data rates may apply.`;

/** The answer to HELP: who this is, where a person can be reached when known, and how to stop. */
export const helpText = (organization: string, contact?: string): string =>
  `${sender(organization)}: ${contact ? `for help contact ${contact}` : "reply to this message for help"}. Reply STOP to stop. Msg&data rates may apply.`;
