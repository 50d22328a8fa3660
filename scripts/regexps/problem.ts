import { Script } from "node:vm";
import { type AttackPattern, checkSync } from "recheck";

/** A text so long takes a regular expression whose time grows with its square many seconds. */
const ATTACK_LENGTH = 100_000;
const ATTACK_MS = 2_000;
/** The slowest takes 18 s of an idle machine. */
const CHECK_MS = 240_000;

/** What a problem begins with that is only a lack of time. */
export const UNCHECKED = "could not be checked";

/**
 * Why a regular expression may hold a process, with a text that shows it; undefined when its time grows as the text does. Alternatives
 * are judged one by one: all of them together take no more than the sum of what each takes.
 */
export function problemOf(source: string, flags: string): string | undefined {
  // Not `d` and `y`: they change what is answered, not what is tried. The checker reads `v` as `u`.
  const known = flags.replace(/[dy]/g, "").replace("v", "u");
  for (const alternative of alternativesOf(source)) {
    const problem = problemIn(alternative, known);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemIn(source: string, flags: string): string | undefined {
  const result = checkSync(source, flags, { timeout: CHECK_MS });
  if (result.status === "safe") return undefined;
  if (result.status === "unknown") return `${UNCHECKED} (${result.error.kind}): /${source}/`;
  const { pumps, suffix } = result.attack;
  // Where it searched by trial, it counts the steps of a machine of its own, which looks behind more slowly than V8 does.
  if (result.checker === "fuzz" && !holdsV8(source, flags, result.attack)) return undefined;
  const attack = pumps.map(({ prefix, pump }) => `${quoted(prefix)} + ${quoted(pump)}.repeat(n) + `).join("");
  return `takes ${result.complexity.summary} time, as with ${attack}${quoted(suffix)}: /${source}/`;
}

function holdsV8(source: string, flags: string, { pumps, suffix }: AttackPattern): boolean {
  const times = ATTACK_LENGTH / pumps.reduce((sum, { pump }) => sum + pump.length, 0);
  const text = pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + suffix;
  try {
    new Script("new RegExp(source, flags).exec(text)").runInNewContext({ source, flags, text }, { timeout: ATTACK_MS });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return true;
    throw error;
  }
}

/** What `|` divides at the top. A pattern that refers back to a group stays whole: its groups are counted. */
function alternativesOf(source: string): string[] {
  if (/\\[1-9k]/.test(source)) return [source];
  const alternatives = [""];
  let depth = 0;
  let inClass = false;
  for (const [token] of source.matchAll(/\\[\s\S]|[\s\S]/g)) {
    if (token === "|" && depth === 0 && !inClass) {
      alternatives.push("");
      continue;
    }
    if (inClass) inClass = token !== "]";
    else if (token === "[") inClass = true;
    else if (token === "(") depth++;
    else if (token === ")") depth--;
    alternatives[alternatives.length - 1] += token;
  }
  return [...new Set(alternatives)];
}

const quoted = (text: string): string => JSON.stringify(text);
