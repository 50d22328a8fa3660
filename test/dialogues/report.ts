import type { Half } from "./dialogue.ts";
import type { Judgement } from "./judge.ts";

const HEAD = ["", "dialogues", "turns", "right %", "wrong %", "missing %", "broken", "median ms", "p99 ms"];
const FIRST_COLUMN = 22;

/** The figures of a half, by agent, by channel and of all. No text and no id of a dialogue is in them: the kept half is printed, too. */
export function table(half: Half, judged: readonly Judgement[]): string {
  if (judged.length === 0) return `${half}: no dialogues`;
  const agents = Map.groupBy(judged, ({ played }) => played.dialogue.agent.id);
  const channels = Map.groupBy(judged, ({ played }) => played.dialogue.channel);
  const rows = [...agents, ...channels, [`${half}, all`, judged] as const];
  return [[half, ...HEAD.slice(1)], ...rows.map(([name, of]) => figures(name, of))].map(line).join("\n");
}

function line(cells: readonly string[]): string {
  const [first = "", ...rest] = cells;
  return first.padEnd(FIRST_COLUMN) + rest.map((cell, index) => cell.padStart(HEAD[index + 1]!.length + 2)).join("");
}

function figures(name: string, judged: readonly Judgement[]): string[] {
  const moves = judged.flatMap(({ failed }) => failed);
  const faults = judged.flatMap((one) => one.faults);
  const expected = judged.reduce((sum, one) => sum + one.expected, 0);
  const times = judged.flatMap(({ played }) => played.answers.map(({ ms }) => ms)).sort((a, b) => a - b);
  const ofKind = (wanted: string): number => faults.filter(({ kind }) => kind === wanted).length;
  return [
    name,
    String(judged.length),
    String(moves.length),
    percent(moves.filter((conditions) => conditions.length === 0).length, moves.length),
    percent(ofKind("wrong"), expected),
    percent(ofKind("missing"), expected),
    String(judged.reduce((sum, { broken }) => sum + broken.length, 0)),
    quantile(times, 0.5).toFixed(2),
    quantile(times, 0.99).toFixed(2),
  ];
}

const percent = (part: number, of: number): string => (of === 0 ? "-" : ((100 * part) / of).toFixed(1));

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** A dialogue as a conversation, with what was called and what went wrong below each answer. */
export function conversation({ played, failed, faults, broken }: Judgement): string {
  const { dialogue, answers, fields } = played;
  const { id, agent, channel, turns } = dialogue;
  const lines = [`${id} (${agent.id}, ${channel})`, `  ${agent.name}: ${agent.start}`];
  for (const [index, answer] of answers.entries()) {
    lines.push(`  Ann: ${turns[index]!.say}`, `  ${agent.name}: ${answered(answer)}`);
    for (const condition of failed[index]!) lines.push(`      failed: ${condition}`);
    for (const { turn, rule } of broken) if (turn === index + 1) lines.push(`      rule: ${rule}`);
  }
  lines.push(`  known: ${JSON.stringify(fields)}`);
  for (const fault of faults) lines.push(`      ${faultLine(fault, dialogue.fields)}`);
  return lines.join("\n");
}

/** Every failed turn, broken rule and field of a dialogue: what was said, what was answered, what failed. */
export function wrongLines({ played, failed, faults, broken }: Judgement): string[] {
  const { id, turns, fields } = played.dialogue;
  const ofTurns = failed.flatMap((conditions, index) => {
    const rules = broken.filter(({ turn }) => turn === index + 1).map(({ rule }) => `rule: ${rule}`);
    const wrong = [...conditions.map((condition) => `failed: ${condition}`), ...rules];
    if (wrong.length === 0) return [];
    const said = turns.slice(0, index + 1).map(({ say }) => short(say));
    const answer = answered(played.answers[index]!);
    return [`${id} turn ${index + 1}: ${said.join(" / ")}\n    -> ${answer}\n    ${wrong.join("\n    ")}`];
  });
  return [...ofTurns, ...faults.map((fault) => `${id} ${faultLine(fault, fields)}`)];
}

function answered({ text, tools }: Judgement["played"]["answers"][number]): string {
  const called = tools.map(({ name, at }) => (at ? `[${name} ${at.toISOString()}]` : `[${name}]`));
  return [text || "(silent)", ...called].join(" ");
}

function faultLine(
  { name, kind, value }: Judgement["faults"][number],
  expected: Judgement["played"]["dialogue"]["fields"],
): string {
  const wanted = Object.hasOwn(expected, name) ? JSON.stringify(expected[name]) : "nothing";
  return `field ${name} ${kind}: ${value === undefined ? "" : `${JSON.stringify(value)}, `}expected ${wanted}`;
}

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
