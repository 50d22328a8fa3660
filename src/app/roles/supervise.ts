import type { ChildProcess } from "node:child_process";
import { type ChildEnd, isGone, onceGone } from "#app/process/child-end.ts";
import type { Part } from "./worker.ts";

export type SuperviseParts = {
  restartAfterMs: number;
  /** Longest wait for it to finish what it has in hand. */
  stopWithinMs: number;
  log(line: string): void;
};

/** Keeps a process of ours running: when it ends, or cannot be started, another is started in its place. */
export function supervise(what: string, begin: () => ChildProcess, parts: SuperviseParts): Part {
  let stopping = false;
  let child: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;
  const ended = ({ code, signal, error }: ChildEnd) => {
    if (stopping) return;
    parts.log(`the ${what} ended (${error?.message ?? signal ?? code}); starting another`);
    restart = setTimeout(start, parts.restartAfterMs);
  };
  const start = () => {
    try {
      child = begin();
    } catch (error) {
      child = undefined;
      ended({ code: null, signal: null, error: error as Error });
      return;
    }
    onceGone(child, ended);
  };
  // When we end at once, so does it: nobody would stop it any more.
  process.once("exit", () => child?.kill("SIGKILL"));
  start();
  return {
    async stop() {
      stopping = true;
      clearTimeout(restart);
      const last = child;
      if (last === undefined || isGone(last)) return;
      const over = new Promise<unknown>((resolve) => onceGone(last, resolve));
      last.kill("SIGTERM");
      const patience = setTimeout(() => last.kill("SIGKILL"), parts.stopWithinMs);
      await over;
      clearTimeout(patience);
    },
  };
}
