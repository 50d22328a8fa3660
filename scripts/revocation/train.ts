// npm run revocation:train: learns from data/revocation/training and writes src/domain/revocation/weights.ts, the same on every machine.
// With --without FILE it writes nothing, and says what a reading that has not seen the file makes of it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { oddsReader, writeNetwork } from "#domain/revocation/network.ts";
import { mostOdds } from "#domain/revocation/reading.ts";
import { root } from "#test/support/source/source.ts";
import { digestOf, readExamples, readSaid, trainingFiles } from "./examples.ts";
import { learn } from "./learn.ts";
import { SEEDS, weightsFile } from "./weights-file.ts";

const { values } = parseArgs({ options: { without: { type: "string" } } });
const { without } = values;

if (without === undefined) {
  const examples = [...readExamples(), ...readSaid("learn")];
  const written = SEEDS.map((seed) => writeNetwork(learn(examples, seed)));
  writeFileSync(join(root, "src/domain/revocation/weights.ts"), weightsFile(written, digestOf(examples)));
  process.stdout.write(`learned from ${examples.length} examples\n`);
} else {
  const files = trainingFiles();
  const left = files.filter((file) => file.includes(without));
  const examples = [...readExamples(files.filter((file) => !left.includes(file))), ...readSaid("learn")];
  const readers = SEEDS.map((seed) => oddsReader(learn(examples, seed)));
  const odds = readExamples(left).map((example) => ({ ...example, odds: mostOdds(readers, example.text).odds }));
  for (const least of [-2, -1, -0.5, 0, 1, 2, 3, 4]) {
    const share = (stop: boolean) => {
      const of = odds.filter((one) => one.stop === stop);
      return `${((100 * of.filter((one) => one.odds >= least).length) / Math.max(1, of.length)).toFixed(1)} % of ${of.length}`;
    };
    process.stdout.write(`from ${least} on: ${share(true)} stops, ${share(false)} others\n`);
  }
}
