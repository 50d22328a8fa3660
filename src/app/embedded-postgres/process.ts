import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** The user that owns the cluster and runs the server; undefined: ourselves. */
export type Account = { readonly uid: number; readonly gid: number } | undefined;

/**
 * The whole environment of what we start: a database server must not carry the service's secrets, nor be
 * steered by PG* variables. The last entry is where NixOS keeps its programs.
 */
export const CHILD_ENV = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin",
  LC_ALL: "C",
};

export type Finished = { readonly code: number | undefined; readonly output: string };

/** Runs a program to its end. `code` is undefined when it is not there, may not be run, or died of a signal. */
export function run(command: string, args: readonly string[], account?: Account): Promise<Finished> {
  return new Promise((resolve) => {
    // The account need not be able to see the folder that we were started in.
    const child = spawn(command, args, { ...account, cwd: "/", env: CHILD_ENV, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", (error) => resolve({ code: undefined, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? undefined, output: output.trim() }));
  });
}

/** False also for a zombie: it holds nothing any more, and may never be reaped where process 1 is not an init. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: there is one, of another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return statOf(pid)?.state !== "Z";
}

/**
 * A text that no later process with the same pid shares: pid, moment of its start, boot. Undefined when there is
 * no such process. Where there is no /proc the pid alone must do: there a pid comes round only after 99,998 others.
 */
export function identify(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  const boot = readOrUndefined("/proc/sys/kernel/random/boot_id")?.trim();
  return [pid, statOf(pid)?.startTicks, boot].filter((part) => part !== undefined).join(" ");
}

/** State and start of a process from /proc/<pid>/stat; its name, in brackets, may hold anything, also spaces. */
function statOf(pid: number): { state: string; startTicks: string } | undefined {
  const fields = readOrUndefined(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
  return fields && { state: fields[0]!, startTicks: fields[19]! };
}

export function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
