import type { TestContext } from "node:test";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import type { Move } from "./clock.ts";
import { story } from "./story.ts";

export type Played = { api: Parley; moves: Move[] };

/** The phones report their own words: the same on every machine. */
const WITHOUT_RECOGNIZER = { PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS: "0" };

/** Plays the story on a scratch service, which is stopped when the context ends. */
export async function play(t: Pick<TestContext, "after">, say: (line: string) => void): Promise<Played> {
  // What holds a call with sound is a process of its own, and reads its settings from there.
  Object.assign(process.env, WITHOUT_RECOGNIZER);
  const api = await startParley(
    t as TestContext,
    {
      // The largest campaigns are held in words; the calls to be heard are of small ones.
      PARLEY_SIMULATOR_CALLS: "auto",
      PARLEY_SIMULATOR_AUDIO_LEADS: "8",
      ...WITHOUT_RECOGNIZER,
      PARLEY_SWEEP_INTERVAL_MS: "300",
    },
    ["api", "worker", "media"],
  );
  return { api, moves: await story(api, say) };
}
