// npm run dialogues [-- --half open|fresh|kept] [--wrong] [--only ID] [--read N]: the scripted dialogues of data/dialogues, played against the dialog
// engine. Of the kept half it prints figures only, so that nobody who works on the engine sees a text of it.
import { parseArgs } from "node:util";
import { dialogEngine } from "#adapters/dialog-engine/engine.ts";
import { type Dialogue, type Half, readHalf } from "./dialogue.ts";
import { type Judgement, judge } from "./judge.ts";
import { play } from "./play.ts";
import { conversation, table, wrongLines } from "./report.ts";

const HALVES: readonly Half[] = ["open", "fresh", "kept"];
const model = dialogEngine();

const { values } = parseArgs({
  options: {
    half: { type: "string" },
    wrong: { type: "boolean", default: false },
    only: { type: "string" },
    read: { type: "string" },
  },
});
const { half, only, read, wrong } = values;
const halves = HALVES.filter((name) => half === undefined || name === half);
if (halves.length === 0) refuse(`There is no half ${half}; there are open, fresh and kept.`);
const showsText = wrong || only !== undefined || read !== undefined;
if (only?.startsWith("unseen-") || (showsText && half === "kept")) {
  refuse("The kept dialogues are not shown: only their figures are, by --half kept.");
}

if (only !== undefined) {
  const dialogue = readOrRefuse("open").find(({ id }) => id === only);
  if (dialogue === undefined) refuse(`There is no open dialogue ${only}.`);
  print(conversation(judge(await play(dialogue, model))));
} else if (read !== undefined) {
  const count = Number(read);
  if (!Number.isInteger(count) || count < 1) refuse("--read takes a number of dialogues, as in --read 5.");
  for (const judged of await judgeAll(evenly(readOrRefuse("open"), count))) print(`${conversation(judged)}\n`);
} else {
  for (const name of halves) {
    const judged = await judgeAll(readOrRefuse(name));
    if (wrong && name === "open") for (const line of judged.flatMap(wrongLines)) print(line);
    print(`${table(name, judged)}\n`);
  }
}

async function judgeAll(dialogues: readonly Dialogue[]): Promise<Judgement[]> {
  const judged: Judgement[] = [];
  // One after another: the time of a turn is one of the figures.
  for (const dialogue of dialogues) judged.push(judge(await play(dialogue, model)));
  return judged;
}

/** So many of them, from the whole length of the list, so that every agent is among them. */
function evenly(dialogues: readonly Dialogue[], count: number): Dialogue[] {
  const taken = Math.min(count, dialogues.length);
  return Array.from({ length: taken }, (_, index) => dialogues[Math.floor((index * dialogues.length) / taken)]!);
}

function readOrRefuse(name: Half): Dialogue[] {
  try {
    return readHalf(name);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
