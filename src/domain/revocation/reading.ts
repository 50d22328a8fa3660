import { foldText } from "#domain/values/fold.ts";
import { type OddsReader, oddsReader, readNetwork } from "./network.ts";
import { wordsOf } from "./pieces.ts";
import { WEIGHTS } from "./weights.ts";

/** The logarithm of the odds from which on a wish is likely. Lower, it ends more conversations by mistake than it finds wishes. */
const LIKELY = 1;
/** Below even, a rule alone is not believed at once. */
const UNLIKELY = 0;

/** A thought of this many words is read whole; of a longer one, as speech-to-text writes them, each piece of this length. */
const MAX_WORDS = 24;

export type Likelihood = "likely" | "open" | "unlikely";
/** How likely a text asks to be left alone, and the part of it that does most. */
export type Reading = { likelihood: Likelihood; part: string };

let readers: readonly OddsReader[] | undefined;

/** What the trained reading makes of a text. It errs as every reading does: `opt-out.ts` asks the rules too. */
export function trainedReading(text: string): Reading {
  readers ??= WEIGHTS.map((written) => oddsReader(readNetwork(written)));
  const { odds, part } = mostOdds(readers, text);
  if (odds >= LIKELY) return { likelihood: "likely", part };
  return { likelihood: odds > UNLIKELY ? "open" : "unlikely", part };
}

/** Of the whole and of each sentence by itself, for a wish beside something else is a wish; and the sentence that it is found in. */
export function mostOdds(readers: readonly OddsReader[], text: string): { odds: number; part: string } {
  let most = { odds: -99, part: text };
  const read = new Set<string>();
  for (const part of [...(text.match(/[^.!?;\n]+\??/g) ?? []), text]) {
    const folded = foldText(part).split(" ");
    if (folded[0] === "") continue;
    const asks = part.includes("?");
    for (let from = 0; from === 0 || from + MAX_WORDS / 2 < folded.length; from += MAX_WORDS / 2) {
      const words = wordsOf(folded.slice(from, from + MAX_WORDS).join(" "), asks);
      const once = words.join(" ");
      if (read.has(once)) continue;
      read.add(once);
      const odds = readers.reduce((sum, oddsOf) => sum + oddsOf(words), 0) / readers.length;
      if (odds > most.odds) most = { odds, part };
    }
  }
  return most;
}
