export type Side = "same" | "added" | "removed";
/** A part of a line; `isNew` where its words are not in the line that it was changed from, or to. */
export type DiffPart = { text: string; isNew: boolean };
export type DiffLine = { side: Side; parts: DiffPart[] };

/** Past this many pairs a text is shown as a whole before and after: nobody reads such a comparison piece by piece. */
const MAX_PAIRS = 1_000_000;
/** Of two lines with less in common than this share one is not a change of the other. */
const LEAST_SHARED = 0.3;

/** What became of a text, line by line, and word by word in a line that was changed. */
export function diffLines(before: string, after: string): DiffLine[] {
  const steps = diffOf(lines(before), lines(after));
  const diff: DiffLine[] = [];
  for (let at = 0; at < steps.length; ) {
    const removed = run(steps, at, "removed");
    const added = run(steps, at + removed.length, "added");
    if (removed.length + added.length === 0)
      diff.push({ side: "same", parts: [{ text: steps[at++]!.text, isNew: false }] });
    else diff.push(...changed(removed, added));
    at += removed.length + added.length;
  }
  return diff;
}

/** Lines that follow each other, all removed or all added. */
function run(steps: readonly Step[], from: number, side: Side): string[] {
  const rest = steps.slice(from);
  const end = rest.findIndex((step) => step.side !== side);
  return (end < 0 ? rest : rest.slice(0, end)).map(({ text }) => text);
}

/** Removed lines, then those that came in their place; the first beside the first, and so on. */
function changed(removed: readonly string[], added: readonly string[]): DiffLine[] {
  const pairs = removed.map((line, i) => wordsBetween(line, added[i] ?? ""));
  return [
    ...removed.map((text, i): DiffLine => ({ side: "removed", parts: pairs[i]?.removed ?? whole(text) })),
    ...added.map((text, i): DiffLine => ({ side: "added", parts: pairs[i]?.added ?? whole(text) })),
  ];
}

const whole = (text: string): DiffPart[] => [{ text, isNew: false }];

function wordsBetween(before: string, after: string): { removed: DiffPart[]; added: DiffPart[] } | undefined {
  const steps = diffOf(words(before), words(after));
  const shared = steps.filter(({ side }) => side === "same").reduce((sum, { text }) => sum + text.trim().length, 0);
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return undefined;
  const partsOf = (side: Side) => {
    const parts: DiffPart[] = [];
    for (const step of steps) {
      if (step.side !== "same" && step.side !== side) continue;
      const isNew = step.side === side;
      const last = parts.at(-1);
      if (last?.isNew === isNew) last.text += step.text;
      else parts.push({ text: step.text, isNew });
    }
    return parts;
  };
  return { removed: partsOf("removed"), added: partsOf("added") };
}

type Step = { side: Side; text: string };

/** What is in both is kept in its order, by the longest common sequence. */
function diffOf(a: readonly string[], b: readonly string[]): Step[] {
  if (a.length * b.length > MAX_PAIRS) return [...all("removed", a), ...all("added", b)];
  // common[i][j]: how much the rests from i and j have in common.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      steps.push({ side: "same", text: a[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) steps.push({ side: "removed", text: a[i++]! });
    else steps.push({ side: "added", text: b[j++]! });
  }
  return [...steps, ...all("removed", a.slice(i)), ...all("added", b.slice(j))];
}

const lines = (text: string): string[] => (text === "" ? [] : text.split("\n"));
/** Words, and what is between them. */
const words = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
const all = (side: Side, texts: readonly string[]): Step[] => texts.map((text) => ({ side, text }));
