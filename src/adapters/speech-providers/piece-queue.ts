/** What comes by events, to be taken one after the other. */
export function pieceQueue<T>() {
  const waiting: T[] = [];
  let over: { error?: Error; isDone: boolean } | undefined;
  let wake = () => {};
  const finish = (how: { error?: Error; isDone: boolean }) => {
    over ??= how;
    wake();
  };
  return {
    put(piece: T): void {
      waiting.push(piece);
      wake();
    },
    /** Nothing more comes: what is there is still taken. */
    done: () => finish({ isDone: true }),
    /** Nothing more is wanted: what is there is dropped. */
    end: () => {
      waiting.length = 0;
      finish({ isDone: false });
    },
    fail: (error: Error) => finish({ error, isDone: true }),
    /** Whether the far end has nothing more to do. */
    isDone: () => over?.isDone === true,
    /** The next one, or undefined at the end. Rejects with what it failed with, after what came before. */
    async next(): Promise<T | undefined> {
      for (;;) {
        const piece = waiting.shift();
        if (piece !== undefined) return piece;
        if (over?.error) throw over.error;
        if (over) return undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
