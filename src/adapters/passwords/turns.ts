import { PasswordsBusy, type Waits } from "#ports/sign-in.ts";

type Waiter = { go(): void; refuse(error: Error): void };

/**
 * Runs so many at a time. Those who wait stand in lines, which take turns, those of who is known first: whoever sends many waits for himself.
 * Where `maxWaiting` strangers wait already, or as many who are known, the last of the longest line is turned away with PasswordsBusy.
 */
export function fairTurns(atOnce: number, maxWaiting: number): <T>(waits: Waits, work: () => Promise<T>) => Promise<T> {
  const known = new Lines(maxWaiting);
  const strangers = new Lines(maxWaiting);
  let running = 0;
  return async ({ line, isKnown }, work) => {
    if (running < atOnce) running++;
    else
      await new Promise<void>((resolve, reject) => {
        (isKnown ? known : strangers).add(line, { go: resolve, refuse: reject });
      });
    try {
      return await work();
    } finally {
      // The turn is handed on, not given back and taken again: nobody comes between.
      const next = known.next() ?? strangers.next();
      if (next) next.go();
      else running--;
    }
  };
}

class Lines {
  /** In the order of their turns. */
  private readonly lines = new Map<string, Waiter[]>();
  private readonly max: number;
  private count = 0;

  constructor(max: number) {
    this.max = max;
  }

  add(name: string, waiter: Waiter): void {
    const line = this.lines.get(name) ?? [];
    this.lines.set(name, line);
    line.push(waiter);
    this.count++;
    if (this.count > this.max) this.turnAway();
  }

  next(): Waiter | undefined {
    const [first] = this.lines;
    if (!first) return undefined;
    const [name, line] = first;
    this.lines.delete(name);
    if (line.length > 1) this.lines.set(name, line);
    this.count--;
    return line.shift();
  }

  private turnAway(): void {
    let [longest] = this.lines;
    for (const line of this.lines) if (line[1].length >= longest![1].length) longest = line;
    const [name, line] = longest!;
    line.pop()!.refuse(new PasswordsBusy());
    if (line.length === 0) this.lines.delete(name);
    this.count--;
  }
}
