export type Side = "same" | "added" | "removed";
export type DiffLine = { side: Side; text: string };

/** Past this many pairs of lines a text is shown as a whole before and after: nobody reads such a comparison line by line. */
const MAX_PAIRS = 1_000_000;

/** What became of a text, line by line: what is in both is kept in its order, by the longest common sequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [lines(before), lines(after)];
  if (a.length * b.length > MAX_PAIRS) return [...all("removed", a), ...all("added", b)];
  // common[i][j]: how many lines the rests from i and j have in common.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const diff: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      diff.push({ side: "same", text: a[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) diff.push({ side: "removed", text: a[i++]! });
    else diff.push({ side: "added", text: b[j++]! });
  }
  return [...diff, ...all("removed", a.slice(i)), ...all("added", b.slice(j))];
}

const lines = (text: string): string[] => (text === "" ? [] : text.split("\n"));
const all = (side: Side, texts: readonly string[]): DiffLine[] => texts.map((text) => ({ side, text }));
