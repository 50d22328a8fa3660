import type { ChildProcess } from "node:child_process";

export type ChildEnd = { code: number | null; signal: NodeJS.Signals | null; error?: Error };

/** Whether a child does not run: it was never started, or has ended. */
export const isGone = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

/**
 * Reports a child's end, once: its exit, or an error where it could not be started, which has no exit. An error of a child that runs is no
 * end.
 */
export function onceGone(child: ChildProcess, report: (end: ChildEnd) => void): void {
  let isTold = false;
  const end = (how: ChildEnd) => {
    if (isTold) return;
    isTold = true;
    report(how);
  };
  child.on("exit", (code, signal) => end({ code, signal }));
  child.on("error", (error) => {
    if (child.pid === undefined) end({ code: null, signal: null, error });
  });
}
