import { foldText } from "#domain/values/fold.ts";
import { stripInvisible } from "#domain/values/invisible.ts";
import { findLinks, isAllowedLink } from "#domain/values/link.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import { type Instructions, recites } from "./recitation.ts";
import { countSegments, MAX_SEGMENTS } from "./segments.ts";

/** Why a text may not leave. Stored with the turn; the contact gets the safe text or nothing. */
export type OutputReason =
  | "empty"
  | "too_long"
  | "raw_braces"
  | "markup"
  | "prompt_leak"
  | "link_not_allowed"
  | "foreign_contact_data"
  | "claims_human"
  | "encoded"
  | "language";

export type GateVerdict = { ok: true; text: string; segments: number } | { ok: false; reason: OutputReason };

export type GateRules = {
  /** What the agent may link to: hosts and addresses (values/link.ts). */
  allowedLinks: readonly string[];
  /** The agent's instructions: five words of them in a row may not come out (recitation.ts says which may). */
  instructions?: Instructions;
  /** Words planted in the prompt that nothing but a leak could repeat. */
  promptCanaries?: readonly string[];
  /**
   * What was said before, by anyone, and what the agent was given: e-mail addresses, telephone numbers and alphabets that
   * occur in it are known here and may be used. Without it none of the first two may, and any alphabet.
   */
  known?: string;
  /** MAX_SEGMENTS by default. */
  maxSegments?: number;
};

/** No word of any language is longer; base64 and hex are. */
const LONGEST_WORD = 40;

/** Marks of a chat protocol, a tool call or a web page: signs that a model wrote to a machine, not to a person. */
const MARKUP =
  /<\/?[a-z!?][^<>]*>|<\|[^|]{0,40}\|?>|\[\/?(?:INST|SYS|TOOL\w*)\]|```|^[^\S\r\n\u2028\u2029]*(?:system|assistant|user|developer|tool|agent|contact|human)\s*:|"(?:tool_calls?|function|arguments|role|content|reply|intent)"\s*:|^[^\S\r\n\u2028\u2029]*[[{]\s*(?:"|\{|\[|\})/im;

/** The agent must never claim to be a person. */
const CLAIMS_HUMAN =
  /\bi(?:m| am)? (?:(?:am|definitely|actually|really|just|totally|100|a|an|the|not a bot im|of course) )*(?:real |actual |live |human )?(?:human|person|real person|human being)\b|\b(?:i ?m|i am|its|this is) (?:definitely |really )?not (?:a |an )?(?:bot|robot|ai|machine|computer|automated|chatbot)\b/;

/** Numbers that cost whoever calls them: no agent has a reason to name one, whoever named it first. */
const PREMIUM = /^(?:900|\d{3}976)/;

const fail = (reason: OutputReason): GateVerdict => ({ ok: false, reason });

/**
 * The last look at a text that an agent wrote, before it is queued. Fails closed: a text that might leak, link
 * where it should not, or is not a message to a person is refused whole. What passes is cleaned of the invisible.
 */
export function checkOutgoing(raw: string, rules: GateRules): GateVerdict {
  const verdict = checkAuthored(raw, rules.maxSegments);
  if (!verdict.ok) return verdict;
  const { text } = verdict;
  if (MARKUP.test(text)) return fail("markup");

  const known = rules.known?.toLowerCase() ?? "";
  const knownDigits = known.replace(/[^\d\n]/g, "");
  for (const link of findLinks(text)) {
    if (link.kind === "link" && !isAllowedLink(link.text, rules.allowedLinks)) return fail("link_not_allowed");
    if (link.kind === "email" && !known.includes(link.text.toLowerCase())) return fail("foreign_contact_data");
    if (link.kind === "phone") {
      const number = link.text.replace(/\D/g, "").slice(-10);
      if (PREMIUM.test(number) || !knownDigits.includes(number)) return fail("foreign_contact_data");
    }
  }
  const folded = foldText(text);
  if (leaks(text, folded, rules)) return fail("prompt_leak");
  if (hasEncodedRun(text, rules.allowedLinks)) return fail("encoded");
  if (CLAIMS_HUMAN.test(folded)) return fail("claims_human");
  if (rules.known && !speaksKnownScript(text, rules.known)) return fail("language");
  return verdict;
}

/**
 * The part of the gate that holds for texts that a person wrote too (starting messages, drips, a colleague's reply): cleaned, not
 * empty, no double braces, within `maxSegments`.
 */
export function checkAuthored(raw: string, maxSegments: number = MAX_SEGMENTS): GateVerdict {
  // Far over any limit: not worth a look, and patterns stay fast.
  if (raw.length > maxSegments * 160 * 2) return fail("too_long");
  const text = stripInvisible(raw)
    .replace(/(?<![ \u00a0])[ \u00a0]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (!/[\p{L}\p{N}\p{Emoji_Presentation}?]/u.test(text)) return fail("empty");
  if (/\{\{|\}\}/.test(text)) return fail("raw_braces");
  const { segments } = countSegments(text);
  return segments > maxSegments ? fail("too_long") : { ok: true, text, segments };
}

function leaks(text: string, folded: string, rules: GateRules): boolean {
  const squeezed = folded.replaceAll(" ", "");
  for (const canary of rules.promptCanaries ?? []) {
    const bare = foldText(canary).replaceAll(" ", "");
    if (bare !== "" && (text.includes(canary) || squeezed.includes(bare))) return true;
  }
  return rules.instructions !== undefined && recites(text, rules.instructions);
}

function hasEncodedRun(text: string, allowedLinks: readonly string[]): boolean {
  return text
    .split(/\s+/)
    .some(
      (word) =>
        word.length > LONGEST_WORD && /^[!-~]+$/.test(word) && !isAllowedLink(trimEndOf(word, ".,!?"), allowedLinks),
    );
}

const SCRIPTS = [
  "Latin",
  "Cyrillic",
  "Greek",
  "Arabic",
  "Hebrew",
  "Han",
  "Hiragana",
  "Katakana",
  "Hangul",
  "Devanagari",
  "Thai",
].map((name) => new RegExp(`\\p{Script=${name}}`, "gu"));

/** An agent that suddenly writes an alphabet which nobody here has used says something that nobody here can check. */
function speaksKnownScript(text: string, known: string): boolean {
  if (/^[ -~\n]*$/.test(text)) return /[a-z]/i.test(known) || !/[a-z]{4}/i.test(text);
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return SCRIPTS.every((script) => {
    const used = text.match(script)?.length ?? 0;
    return used <= letters / 4 || known.search(script) >= 0;
  });
}
