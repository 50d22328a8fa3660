import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { G711_RATE } from "#domain/calls/g711.ts";
import { monoWav } from "#media/recording/mono-wav.ts";
import { spoken } from "#test/peers/line.ts";
import { aFolder } from "#test/support/source/folder.ts";

/** Arguments that have Chromium take this for the microphone's input, over and over; numbers are milliseconds of silence. */
export async function microphone(...parts: (string | number)[]): Promise<string[]> {
  const folder = aFolder("microphone");
  const file = join(folder, "speech.wav");
  writeFileSync(file, monoWav([await spoken(...parts)], G711_RATE));
  return [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${file}`,
    "--autoplay-policy=no-user-gesture-required",
  ];
}
