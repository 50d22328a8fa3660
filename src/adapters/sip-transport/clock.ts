/** Time as the protocol needs it: milliseconds that only go up, and alarms. A test has one that it moves itself. */
export type Clock = {
  now(): number;
  /** Runs once, `ms` from now, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A clock whose alarms can be stopped all at once: what ends leaves nothing behind that would ring. */
export function stoppable(clock: Clock): Clock & { stop(): void } {
  const set = new Set<() => void>();
  return {
    now: clock.now,
    after(ms, run) {
      const stopInner = clock.after(ms, () => {
        set.delete(stop);
        run();
      });
      const stop = () => {
        set.delete(stop);
        stopInner();
      };
      set.add(stop);
      return stop;
    },
    stop() {
      for (const stop of set) stop();
    },
  };
}

/** Bytes of chance: of a cryptographic kind, since tags, nonces and keys are made of them. */
export type Random = (bytes: number) => Buffer;

/** From 0 up to 1. */
export const fraction = (random: Random): number => random(4).readUInt32BE() / 2 ** 32;

export const token = (random: Random, bytes = 10): string => random(bytes).toString("hex");

export type Log = (
  level: "debug" | "info" | "warn",
  message: string,
  detail: Readonly<Record<string, unknown>>,
) => void;
