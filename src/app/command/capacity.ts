import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Command } from "commander";
import { measureCapacity } from "#app/capacity/measure.ts";
import { envLines, reportJson, reportLines, settingsOf } from "#app/capacity/report.ts";
import { readConfig } from "#app/settings/config.ts";

type Say = (line: string) => void;
type Options = { seconds: string; json?: boolean; write?: string };

const [LEAST_SECONDS, USUAL_SECONDS, MOST_SECONDS] = [20, 180, 3_600];
/** Above the default of PARLEY_MEDIA_CALLS: a fast machine may carry more, and it is to be found out. */
const MOST_CALLS = 1_000;
const NONE_IN_TIME =
  "Not one call was in time, so there are no settings to write: measure again when nothing else is at work on this machine";
/** A file that begins so is ours to write over. */
const HEAD = "# Written by `parley capacity`: what this machine was measured to carry.";

export function capacityCommand(say: Say): Command {
  return new Command("capacity")
    .option("--seconds <n>", `how long to measure, ${LEAST_SECONDS} to ${MOST_SECONDS}`, String(USUAL_SECONDS))
    .option("--json", "print one line of JSON")
    .option("--write <file>", "write the settings that follow from it into a file of environment variables")
    .description(
      "measure how many texts, calls and imported rows a second this machine carries, on data that is made for it and thrown away",
    )
    .action(async ({ seconds: text, json, write }: Options) => {
      const seconds = secondsOf(text);
      if (write !== undefined) refuseForeign(write);
      const { databaseUrl, databaseSessionUrl } = readConfig();
      // What is made there is of no pooler's.
      const url = databaseSessionUrl ?? databaseUrl;
      const note = (line: string) => void process.stderr.write(`${line}\n`);
      const capacity = await untilSignal((signal) =>
        measureCapacity({ databaseUrl: url, seconds, mostCalls: MOST_CALLS, signal, say: note }),
      );
      for (const line of json ? [JSON.stringify(reportJson(capacity))] : reportLines(capacity)) say(line);
      const settings = settingsOf(capacity);
      if (Object.keys(settings).length === 0) throw new Error(NONE_IN_TIME);
      if (write !== undefined) writeSettings(write, settings);
      else if (!json) for (const line of ["For the environment of media nodes:", ...envLines(settings)]) say(line);
    });
}

export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return seconds;
  throw new Error(`--seconds must be a whole number from ${LEAST_SECONDS} to ${MOST_SECONDS}`);
}

/** Before anything is measured: a file of the operator's own is not written over. */
export function refuseForeign(file: string): void {
  if (existsSync(file) && !readFileSync(file, "utf8").startsWith(HEAD))
    throw new Error(`--write names ${file}, which \`parley capacity\` has not written: name another file`);
}

export function writeSettings(file: string, settings: Record<string, string>): void {
  writeFileSync(file, `${[HEAD, ...envLines(settings)].join("\n")}\n`, { mode: 0o600 });
}

/** A signal ends the work as a failure does: what was made for it is removed. */
async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error("Stopped before all was measured"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  }
}
