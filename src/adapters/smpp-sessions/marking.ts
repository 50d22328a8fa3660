import type { OutgoingText, SmsBatch } from "#ports/sms-carrier.ts";
import { byTurns } from "./by-turns.ts";
import type { Pace } from "./pace.ts";

type Waiting = { batch: SmsBatch; text: OutgoingText; mayStill(): boolean; resolve(isMarked: boolean): void };

export type Marking = {
  /** Resolves once the text is marked, and to be written; false when it may not be. Whoever gets true calls `written` once. */
  marked(batch: SmsBatch, text: OutgoingText, mayStill: () => boolean, party?: string): Promise<boolean>;
  /** A marked text has begun to leave, or is not going to. */
  written(): void;
  /** Something may have become free. */
  look(): void;
};

/** What waits for others' answers, or for its second, is looked at this often. */
const LOOK_AGAIN_MS = 50;
/** While one set waits for its commit another is marked. With one at a time half of the window was free. */
const MARKS_AT_ONCE = 2;

/**
 * Marks texts in sets, in the turns of their parties, right before they are written: as many as could leave at once and, so that no place in the
 * window is free for want of a mark, `ahead` more. What is marked and not written when the process dies is in doubt though it never left: it is never more than that. A set has
 * `ahead` texts at least, or half of that where few wait: a mark is a statement and a commit.
 */
export function marking({ pace, ahead }: { pace: Pick<Pace, "room">; ahead: number }): Marking {
  const queue = byTurns<Waiting>();
  let unwritten = 0;
  // While no more wait than the window has places a process that dies leaves fewer in doubt.
  const few = Math.ceil(ahead / 2);
  let marks = 0;
  let willLook = false;

  function look(): void {
    for (const { resolve } of queue.dropOver((one) => !one.mayStill())) resolve(false);
    const isBusy = queue.size() > 2 * ahead;
    if (marks >= (isBusy ? MARKS_AT_ONCE : 1) || queue.size() === 0) return;
    const least = isBusy ? ahead : few;
    const most = pace.room(ahead) - unwritten;
    if (most < Math.min(least, queue.size())) lookAgain();
    else void mark(queue.take(isBusy ? most : Math.min(most, few)));
  }
  function lookAgain(): void {
    if (willLook) return;
    willLook = true;
    setTimeout(() => {
      willLook = false;
      look();
    }, LOOK_AGAIN_MS);
  }

  async function mark(them: Waiting[]): Promise<void> {
    marks++;
    unwritten += them.length;
    // One statement for a claim, whose batches have this in common.
    const byClaim = [...Map.groupBy(them, ({ batch }) => batch.mark).values()];
    await Promise.all(byClaim.map(markTogether));
    marks--;
    look();
  }

  async function markTogether(them: Waiting[]): Promise<void> {
    const { mark } = them[0]!.batch;
    // Where it could not be written nothing leaves: the texts stay due.
    const marked = await mark?.(them.map(({ text }) => text)).catch(() => undefined);
    for (const { text, resolve } of them) {
      const isMarked = marked?.has(text.ref) === true;
      if (!isMarked) unwritten--;
      resolve(isMarked);
    }
  }

  return {
    marked(batch, text, mayStill, party = "") {
      return new Promise((resolve) => {
        queue.add(party, { batch, text, mayStill, resolve });
        // What comes within one turn of the event loop is marked together.
        if (queue.size() === 1) process.nextTick(look);
      });
    },
    written() {
      unwritten--;
      look();
    },
    look,
  };
}
