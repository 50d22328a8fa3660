import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { G711_RATE } from "#domain/calls/g711.ts";
import { monoWav } from "#media/recording/mono-wav.ts";
import { spoken } from "#test/peers/line.ts";

/** Arguments that have Chromium take this for the microphone's input, over and over; numbers are milliseconds of silence. */
export async function microphone(t: TestContext, ...parts: (string | number)[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "parley-microphone-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "speech.wav");
  writeFileSync(file, monoWav([await spoken(...parts)], G711_RATE));
  return [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${file}`,
    "--autoplay-policy=no-user-gesture-required",
  ];
}
