import { fieldValue } from "#domain/agents/extraction.ts";
import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import { isPlausible } from "#domain/agents/plausible.ts";
import { foldText } from "#domain/values/fold.ts";
import { stripInvisible } from "#domain/values/invisible.ts";
import { type Answerer, SENTIMENTS, type Sentiment } from "./call.ts";
import type { CallReport, Utterance } from "./report.ts";

/** Where a value was said: the utterance, by its place in the report, and its words. */
export type CallEvidence = { utterance: number; quote: string };

/** What a call came to. Every field has its evidence; one that nobody said is absent. */
export type CallAnalysis = {
  sentiment: Sentiment;
  /** The call met its objective. */
  successful: boolean;
  summary: string | null;
  /** Of the types that the agent's `extraction_fields` have. */
  extractedFields: Record<string, string | number | boolean>;
  evidence: Record<string, CallEvidence>;
};

const MAX_SUMMARY_LENGTH = 1_000;
const MAX_QUOTE_LENGTH = 500;

const MACHINES: readonly Answerer[] = ["voicemail", "full_mailbox", "ivr"];

/** A call that nobody answered is no call to analyse. */
export const isAnalysable = ({ status, durationMs }: Pick<CallReport, "status" | "durationMs">): boolean =>
  status !== "not_connected" && durationMs > 0;

/** Whether a person said anything in it: else there is nothing to judge, and no model is asked. */
export const hasSpeech = (report: Pick<CallReport, "inVoicemail" | "answerer" | "utterances">): boolean =>
  !report.inVoicemail &&
  !(report.answerer && MACHINES.includes(report.answerer)) &&
  report.utterances.some(({ role, text }) => role === "contact" && text.trim() !== "");

/** The analysis of a call in which nobody said anything. */
export const NOTHING_SAID: CallAnalysis = {
  sentiment: "Unknown",
  successful: false,
  summary: null,
  extractedFields: {},
  evidence: {},
};

/**
 * Makes a sound analysis of whatever a model said: any value is taken, nothing is thrown. A field is kept when it is the agent's, of its type,
 * and its quote occurs in what the contact said. Whoever asked to be left alone made no call a success. `notes` says what was dropped.
 */
export function checkCallAnalysis(
  raw: unknown,
  fields: readonly ExtractionField[],
  report: Pick<CallReport, "utterances" | "requests">,
): { analysis: CallAnalysis; notes: string[] } {
  const notes: string[] = [];
  const answer = recordOf(raw);
  if (answer === undefined) notes.push("the answer is not an object");
  const said = recordOf(own(answer, "extracted_fields")) ?? {};
  const proof = recordOf(own(answer, "evidence")) ?? {};
  const values: [string, string | number | boolean][] = [];
  const evidence: [string, CallEvidence][] = [];
  for (const field of fields) {
    const given = own(said, field.name);
    if (given === undefined || given === null || given === "") continue;
    const value = fieldValue(given, field);
    const found = evidenceIn(own(proof, field.name), report.utterances);
    if (value === undefined) notes.push(`${field.name}: not a ${field.type}`);
    else if (!isPlausible(value, field)) notes.push(`${field.name}: not a plausible value`);
    else if (found === undefined) notes.push(`${field.name}: no evidence`);
    else {
      values.push([field.name, typed(value, field)]);
      evidence.push([field.name, found]);
    }
  }
  const sentiment = SENTIMENTS.find((name) => name.toLowerCase() === String(own(answer, "sentiment")).toLowerCase());
  if (sentiment === undefined) notes.push("no sentiment");
  return {
    analysis: {
      sentiment: sentiment ?? "Unknown",
      successful: own(answer, "objective_met") === true && report.requests.optOut === undefined,
      summary: summaryOf(own(answer, "summary")),
      extractedFields: Object.fromEntries(values),
      evidence: Object.fromEntries(evidence),
    },
    notes,
  };
}

function typed(value: string, { type }: ExtractionField): string | number | boolean {
  if (type === "number") return Number(value);
  return type === "boolean" ? value === "true" : value;
}

/** How an utterance is named to a model: by its place, from 1. */
export const utteranceAlias = (index: number): string => `u${index + 1}`;

/** The utterance whose words these are: the one that is named, or another of the contact's. Transcripts have no reliable punctuation: none counts. */
function evidenceIn(given: unknown, utterances: readonly Utterance[]): CallEvidence | undefined {
  const { message_id: id, quote } = recordOf(given) ?? {};
  if (typeof quote !== "string" || quote.length > MAX_QUOTE_LENGTH) return undefined;
  const holds = ({ role, text }: Utterance) => role === "contact" && isIn(quote, text);
  const named = utterances.findIndex((utterance, index) => utteranceAlias(index) === id && holds(utterance));
  const utterance = named >= 0 ? named : utterances.findIndex(holds);
  return utterance < 0 ? undefined : { utterance, quote: stripInvisible(quote).trim() };
}

function isIn(quote: string, text: string): boolean {
  const folded = foldText(quote);
  return folded === ""
    ? quote.trim() !== "" && text.includes(quote.trim())
    : ` ${foldText(text)} `.includes(` ${folded} `);
}

function summaryOf(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const text = stripInvisible(given).replace(/\s+/g, " ").trim();
  return text === "" ? null : text.slice(0, MAX_SUMMARY_LENGTH);
}

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

const own = (from: Record<string, unknown> | undefined, name: string): unknown =>
  from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;
