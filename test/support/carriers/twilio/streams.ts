import type { TestContext } from "node:test";
import { knownSentences } from "#test/peers/known-sentences.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { COMMON_ENV, startProcess } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { soundsOf } from "./calls.ts";
import type { TwilioStandIn } from "./stand-in.ts";

/** The service with a media node, both reached by Twilio's stand-in; what is said on the phone is understood where it is one of `sentences`. */
export async function startWithStreams(
  t: TestContext,
  twilio: TwilioStandIn,
  sentences: readonly string[],
  more: Record<string, string> = {},
) {
  const port = await aFreePort();
  const dataDir = aFolder("streams");
  const env = {
    PARLEY_DATA_DIR: dataDir,
    PARLEY_SECRET_KEY: COMMON_ENV.PARLEY_SECRET_KEY!,
    PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    PARLEY_CARRIER_HOSTS: JSON.stringify({
      "api.twilio.com": twilio.url,
      "messaging.twilio.com": twilio.url,
      "trunking.twilio.com": twilio.url,
    }),
    PARLEY_LIVE_CLOCK: "moved",
    PARLEY_SPEECH_TO_TEXT_PROVIDER: "openai",
    PARLEY_OPENAI_SPEECH_BASE_URL: await knownSentences(t, await soundsOf(sentences)),
    PARLEY_OPENAI_SPEECH_API_KEY: "none",
    ...more,
  };
  const service = await startParley(t, { ...env, PORT: String(port) });
  // A process of its own: what has a call's sound reads its settings from the environment, not from this test.
  const media = await startProcess(t, "media", { ...env, DATABASE_URL: service.databaseUrl });
  return { service, media };
}
