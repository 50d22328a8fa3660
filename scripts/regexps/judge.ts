// A thread of problems.ts: judges one regular expression after the other, as they are sent.
import { parentPort } from "node:worker_threads";
import { problemOf } from "./problem.ts";

parentPort!.on("message", ({ source, flags }: { source: string; flags: string }) => {
  parentPort!.postMessage(problemOf(source, flags) ?? null);
});
