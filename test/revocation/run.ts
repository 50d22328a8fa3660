// npm run revocation [-- --half open|kept] [--misses]: the texts and utterances of data/revocation, read as the service reads them. Of the kept
// half it prints figures only, so that nobody who works on the reading sees a row of it.
import { parseArgs } from "node:util";
import { isMiss, judgeRows } from "./fate.ts";
import { table } from "./report.ts";
import { HALVES, readRows } from "./rows.ts";

const { values } = parseArgs({
  options: { half: { type: "string" }, misses: { type: "boolean", default: false } },
});
const halves = HALVES.filter((name) => values.half === undefined || name === values.half);
if (halves.length === 0) refuse(`There is no half ${values.half}; there are open and kept.`);
if (values.misses && values.half === "kept")
  refuse("The kept rows are not shown: only their figures are, by --half kept.");

for (const half of halves) {
  const judged = judgeRows(readRows(half));
  if (values.misses && half === "open") {
    for (const { label, language, channel, fate, text } of judged.filter(isMiss)) {
      print(`${label} ${fate} ${language} ${channel}: ${text}`);
    }
  }
  print(`${table(half, judged)}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
