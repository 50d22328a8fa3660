import { G711_RATE } from "#domain/calls/g711.ts";
import { createResampler, outputRoom, type Rate } from "#domain/calls/resample.ts";
import { runCommand } from "./wasi.ts";
import type { WasmModule } from "./web-assembly.ts";

/** What flite is asked for. `stretch` is how much longer than usual a sound lasts. */
export type Request = { text: string; voice: string; stretch: number };

/** At 8 kHz. `segments` is flite's own list of phones with the times of their ends: `pau:0.164 hh:0.255 ...`, a line an utterance. */
export type Sound = { samples: Int16Array<ArrayBuffer>; segments: string };

/** A RIFF header as flite writes it: https://github.com/festvox/flite/blob/master/src/speech/cst_wave_io.c */
const HEADER_BYTES = 44;
const RATE_AT = 24;

/**
 * Speaks a text by flite (usage: `flite --help`). Takes about a fiftieth of the time that the speech lasts, all of it in
 * the caller's thread. Throws when flite fails; a text without a word gives no samples.
 */
export function synthesize(module: WasmModule, { text, voice, stretch }: Request): Sound {
  const { exitCode, file, printed } = runCommand(module, [
    "flite",
    "-psdur",
    "-voice",
    voice,
    "--setf",
    `duration_stretch=${stretch.toFixed(3)}`,
    "-t",
    text,
    "-o",
    "speech.wav",
  ]);
  if (exitCode !== 0 || file.length < HEADER_BYTES) throw new Error(`flite ended with ${exitCode}`);
  const body = file.slice(HEADER_BYTES, file.length - (file.length % 2));
  const rate = new DataView(file.buffer).getUint32(RATE_AT, true) as Rate;
  return { samples: atTelephoneRate(new Int16Array(body.buffer), rate), segments: printed };
}

/** Here, not where calls are: it would take a tenth of their process's time. */
function atTelephoneRate(samples: Int16Array<ArrayBuffer>, rate: Rate): Int16Array<ArrayBuffer> {
  if (rate === G711_RATE) return samples;
  const into = new Int16Array(outputRoom(samples.length, rate, G711_RATE));
  return into.slice(0, createResampler(rate, G711_RATE)(samples, into));
}
