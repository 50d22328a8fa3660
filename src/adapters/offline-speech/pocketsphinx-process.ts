import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export const PROGRAM = "pocketsphinx_continuous";

/**
 * Node hands a child its input as a socket, and a socket cannot be opened by name, as the program does with its input: `cat` makes a
 * pipe of it. It is `nice`, since frames of calls leave the same machine every 20 ms. Its removal of noise takes sounds of a
 * telephone for noise (kal: 27 words in 100 wrong instead of 18). Its own log is of no use to anyone.
 */
const SCRIPT = `cat | exec nice -n 10 ${PROGRAM} -infile /dev/stdin -time yes -remove_noise no 2>/dev/null`;

/** Two minutes of sound not yet taken: the machine cannot keep up. */
const MAX_BACKLOG_BYTES = 120 * 32_000;

/** The exit code of a shell that found no such program. */
export const NOT_FOUND = 127;

export type Recogniser = {
  /** Linear 16-bit, 16 kHz, mono. False when the program has fallen too far behind. */
  write(samples: Int16Array): boolean;
  /** Nothing more comes: it says what it has and ends. */
  finish(): void;
  kill(): void;
  /** The exit code, or null when it was killed. */
  ended: Promise<number | null>;
};

/** Starts one recogniser. `onLine` gets what it prints, line by line, all of it before `ended`. */
export function startRecogniser(onLine: (line: string) => void, script: string = SCRIPT): Recogniser {
  // A group of its own: shell, cat and program are ended together, by the group's id.
  const child: ChildProcess = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  const { stdin, stdout } = child;
  // A program that has ended takes no more; its exit code says why.
  stdin!.on("error", () => {});
  const lines = createInterface({ input: stdout! });
  lines.on("line", onLine);
  const read = new Promise((resolve) => lines.once("close", resolve));
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(NOT_FOUND));
    child.once("exit", (code) => void read.then(() => resolve(code)));
  });
  return {
    write(samples) {
      if (stdin!.writable) {
        stdin!.write(Buffer.from(samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength)));
      }
      return stdin!.writableLength <= MAX_BACKLOG_BYTES;
    },
    finish: () => stdin!.end(),
    kill() {
      stdin!.destroy();
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It had ended by itself.
      }
    },
    ended,
  };
}
