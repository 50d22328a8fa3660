import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtractionFieldInput } from "#domain/agents/extraction-field.ts";
import { root } from "#test/support/source/source.ts";

/** `fresh` are those that were measured before the engine was mended for any of them; data/dialogues/README.md says for which it was since. */
export type Half = "open" | "fresh" | "kept";
export type Channel = "sms" | "voice";

/** An agent of data/dialogues/agents.json. `asks` holds, for each field, a pattern that a question about it matches. */
export type Agent = {
  id: string;
  name: string;
  organization: string;
  start: string;
  instructions: string;
  fields: ExtractionFieldInput[];
  asks: Record<string, string>;
};

/** One line of a file; data/dialogues/README.md says what is in it. */
export type Dialogue = {
  id: string;
  agent: Agent;
  channel: Channel;
  tools: readonly string[];
  turns: readonly Turn[];
  fields: Values;
  /** What may be known beside them, where a careful reader could leave it open. */
  may: Values;
};

type Values = Readonly<Record<string, string | readonly string[]>>;

export type Turn = { say: string; expect: readonly string[] };

/** The tools of both channels, by the names that a dialogue has for them. */
const TOOL_NAMES = ["opt_out", "end", "schedule", "transfer"] as const;
/** What is on offer when a dialogue does not say. */
const TOOLS = ["schedule", "transfer"];
const CONDITION = /^(?:(ask|says|not|tool|time):(.*)|no-question|silent)$/s;
const FOLDER = join(root, "data/dialogues");

/** The dialogues of a half, in the order of their files. A line that is none ends the program, which then quotes nothing of it. */
export function readHalf(half: Half): Dialogue[] {
  if (!existsSync(join(FOLDER, half))) return [];
  const agents = JSON.parse(readFileSync(join(FOLDER, "agents.json"), "utf8")) as Agent[];
  const ids = new Set<string>();
  return globSync("*.jsonl", { cwd: join(FOLDER, half) })
    .sort()
    .flatMap((file) =>
      readFileSync(join(FOLDER, half, file), "utf8")
        .split("\n")
        .flatMap((line, index) => {
          if (line.trim() === "") return [];
          const read = dialogueIn(line, agents);
          const problem = typeof read === "string" ? read : ids.has(read.id) ? "its id is there twice" : undefined;
          if (typeof read === "string" || problem !== undefined) {
            throw new Error(`data/dialogues/${half}/${file}:${index + 1} is not a dialogue: ${problem}.`);
          }
          ids.add(read.id);
          return [read];
        }),
    );
}

/** The dialogue of a line, or what is wrong with the line. */
export function dialogueIn(line: string, agents: readonly Agent[]): Dialogue | string {
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return "it is not JSON";
  }
  const { id, channel, turns, fields, may = {}, tools = TOOLS } = given;
  const agent = agents.find((candidate) => candidate.id === given.agent);
  if (typeof id !== "string") return "it has no id";
  if (agent === undefined) return "there is no such agent";
  if (channel !== "sms" && channel !== "voice") return "its channel is neither sms nor voice";
  if (!isListOf(tools, isTool)) return "one of its tools is none";
  if (!isListOf(turns, isTurn) || turns.length === 0) return "it has no turns, or one without `say` or `expect`";
  if (!isRecord(fields) || !isRecord(may)) return "it has no fields";
  for (const [index, { expect }] of turns.entries()) {
    const isKnown = (one: string): boolean => isCondition(one, agent);
    if (!expect.flatMap(alternatives).every(isKnown)) return `a condition of turn ${index + 1} is none`;
  }
  for (const [name, value] of [...Object.entries(fields), ...Object.entries(may)]) {
    if (!Object.hasOwn(agent.asks, name)) return "its agent does not have one of its fields";
    if (![value].flat().every(isValue)) return "a field's value is neither a string, a pattern nor a list of these";
  }
  return { id, agent, channel, tools, turns, fields: fields as Values, may: may as Values };
}

/** `a|b`: parted only where a condition begins, for a pattern may hold a bar of its own. */
export function alternatives(condition: string): string[] {
  return condition.split(/\|(?=(?:ask|says|not|tool|time):|(?:no-question|silent)(?:\||$))/);
}

export function partsOf(condition: string): { kind: string; rest: string } | undefined {
  const found = CONDITION.exec(condition);
  return found ? { kind: found[1] ?? condition, rest: found[2] ?? "" } : undefined;
}

/** The pattern between the slashes, or undefined when the value is to be matched as it is. */
export const patternIn = (value: string): string | undefined => /^\/(.*)\/[a-z]*$/s.exec(value)?.[1];

const isTool = (given: unknown): given is string => TOOL_NAMES.some((name) => name === given);

function isCondition(condition: string, agent: Agent): boolean {
  const parts = partsOf(condition);
  if (parts === undefined) return false;
  const { kind, rest } = parts;
  if (kind === "ask") return rest === "" || Object.hasOwn(agent.asks, rest);
  if (kind === "tool") return isTool(rest);
  if (kind === "time") return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(rest);
  return (kind !== "says" && kind !== "not") || (rest !== "" && compiles(rest));
}

function isValue(value: unknown): boolean {
  return typeof value === "string" && (!value.startsWith("/") || compiles(patternIn(value)));
}

function compiles(pattern: string | undefined): boolean {
  try {
    return pattern !== undefined && new RegExp(pattern, "i") instanceof RegExp;
  } catch {
    return false;
  }
}

function isTurn(given: unknown): given is Turn {
  const turn = given as Partial<Turn> | null;
  return typeof turn?.say === "string" && isListOf(turn.expect, (one) => typeof one === "string");
}

const isRecord = (given: unknown): given is Record<string, unknown> =>
  typeof given === "object" && given !== null && !Array.isArray(given);

function isListOf<Item>(given: unknown, isOne: (item: unknown) => item is Item): given is Item[] {
  return Array.isArray(given) && given.every((item) => isOne(item));
}
