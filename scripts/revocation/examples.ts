import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { foldText } from "#domain/values/fold.ts";
import { root } from "#test/support/source/source.ts";

export type Example = { stop: boolean; language: string; text: string; file: string };

const lines = (path: string): string[] => readFileSync(join(root, path), "utf8").trimEnd().split("\n");

export const trainingFiles = (): string[] => globSync("data/revocation/training/*.tsv", { cwd: root }).sort();

/** What the trained reading learns from, without what the open half says in the same words: it validates what was learned. */
export function readExamples(files: readonly string[] = trainingFiles()): Example[] {
  const [, ...open] = lines("data/revocation/open.tsv");
  const validating = new Set(open.map((line) => foldText(line.split("\t")[3]!)));
  return files.flatMap((file) => {
    const [head, ...rows] = lines(file);
    if (head !== "label\tlanguage\ttext") throw new Error(`${file} has another first line`);
    return rows
      .map((row) => {
        const [label, language, text, ...rest] = row.split("\t");
        if (!language || !text || rest.length > 0 || (label !== "stop" && label !== "not_stop"))
          throw new Error(`${file} has a row of another form: ${row}`);
        return { stop: label === "stop", language, text, file };
      })
      .filter(({ text }) => !validating.has(foldText(text)));
  });
}

/** What is said in conversations: for learning, and in every fourth file of the open dialogues for validating what was learned. */
export function readSaid(purpose: "learn" | "validate"): Example[] {
  const files = globSync("data/dialogues/open/*.jsonl", { cwd: root }).sort();
  return files
    .filter((_, index) => (index % 4 === 3) === (purpose === "validate"))
    .flatMap((file) => lines(file).map((line) => ({ file, ...(JSON.parse(line) as Dialogue) })))
    .flatMap(({ file, turns }) =>
      turns
        .filter(({ say, expect }) => say && !expect.some((move) => /opt_out|silent/.test(move)))
        .map(({ say }) => ({ stop: false, language: "en", text: say!, file })),
    );
}

type Dialogue = { turns: readonly { say?: string; expect: readonly string[] }[] };

/** Of what the weights were made, so that a test can see that they are made of this. */
export const digestOf = (examples: readonly Example[]): string =>
  createHash("sha256").update(JSON.stringify(examples)).digest("hex");
