import assert from "node:assert/strict";
import { test } from "node:test";
import { type Behavior, startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { until } from "#test/support/api/parley.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say } from "./load.ts";
import { scenario, wants } from "./scenario.ts";
import { startWorld } from "./world.ts";

/** More than a machine stands still for: a good answer must come in time. */
const TIMEOUT_MS = 4_000;
/** An extraction that failed all the same is asked for again after 30 s. */
const EXTRACTED_WITHIN_MS = 60_000;
/** What a text costs until it waits, whatever goes wrong: an answer that is tried for three times within seconds. */
const REQUESTS_A_TEXT = 3;

const OUTCOME = "interested";
const EXTRACTED = JSON.stringify({ extracted_fields: {}, evidence: {}, lead_outcome: OUTCOME, objective_met: false });

/** A model that is well. An extraction that failed comes again when it likes, and may come before the answer. */
const well = (text: string): Behavior => ({
  kind: "by_purpose",
  answer: { kind: "answer", text },
  json: { kind: "answer", text: EXTRACTED },
});

const WRONGS: Record<string, Behavior> = {
  timeout: { kind: "stall" },
  "timeout after the head": { kind: "stall", afterHead: true },
  "500": { kind: "status", status: 500 },
  // Not so soon that the text's requests are not counted yet when it comes again.
  "429": { kind: "status", status: 429, headers: { "retry-after": "30" } },
  garbage: { kind: "events", events: ["data: {not json", "data: [1,2,3]"] },
  endless: { kind: "endless" },
  "endless line": { kind: "endless", withoutLineEnd: true },
  "cut off": { kind: "close_early", text: "Well, I" },
};

test("a language model misbehaves", async (t) => {
  if (!wants("F35")) return;
  const model = await startLanguageModelServer();
  t.after(() => model.close());
  const world = await startWorld(t, {
    workers: 1,
    env: {
      PARLEY_LLM_BASE_URL: model.url,
      PARLEY_LLM_MODEL: "stand-in",
      PARLEY_LLM_TIMEOUT_MS: String(TIMEOUT_MS),
    },
  });
  await noon(world);

  await scenario(t, "F35", "the language model times out, fails, talks nonsense and without end", async () => {
    const outcomes: Record<string, string> = {};
    const requests: Record<string, number> = {};
    for (const [name, behavior] of Object.entries(WRONGS)) {
      const [phone] = newPhones(world, 1);
      const { campaignId } = await aRun(world, { phones: [phone!], agent: { drip_schedule: [], reply_delay_ms: 0 } });
      await drained(world);
      const extraction = async () =>
        (await world.api.get(`/v1/sms/extractions/${encodeURIComponent(phone!)}_${campaignId}`)).body.extraction;
      model.behave(well("Glad to hear from you. When may we talk?"));
      await say(world, phone!, "Hello there");
      const first = await until("a first extraction is made", extraction, EXTRACTED_WITHIN_MS);
      assert.equal(first.lead_outcome, OUTCOME);
      const asked = model.requests.length;
      model.behave(behavior);
      await say(world, phone!, "Yes, tell me more");
      const thread = () => world.api.get(`/v1/sms/threads/${encodeURIComponent(phone!)}_${campaignId}`);
      const replies = async () =>
        (await thread()).body.thread.messages.filter((message: { kind: string }) => message.kind === "reply")
          .length as number;
      // Whatever it does now; then the model is well again, and the next text must be answered.
      const found = await until(`its answer waits, or a person is wanted: ${name}`, async () => {
        const { delayed_answer, person_wanted_at } = (await thread()).body.thread;
        if (delayed_answer) return "the wait for the model";
        return person_wanted_at && "a person";
      });
      // The thread before may still be extracted, which has been asked after.
      const ofThis = model.requests
        .slice(asked)
        .filter((request) => !JSON.stringify(request).includes("Are you there?"));
      requests[name] = ofThis.length;
      assert.ok(requests[name] <= REQUESTS_A_TEXT, `${requests[name]} requests to the model for one text: ${name}`);
      assert.deepEqual(await extraction(), first, `the extraction before stands: ${name}`);
      const meanwhile = await replies();
      assert.equal(meanwhile, 1, `nothing is said meanwhile: ${name}`);
      model.behave(well("Which day suits you?"));
      await say(world, phone!, "Are you there?");
      await until(`the thread is not stuck after ${name}`, async () => (await replies()) > meanwhile, 40_000);
      await until(
        "it is extracted anew",
        async () => (await extraction()).extracted_at !== first.extracted_at,
        EXTRACTED_WITHIN_MS,
      );
      await drained(world);
      assert.equal(await replies(), 2, `one answer to both texts: ${name}`);
      outcomes[name] = found;
    }
    await until("nothing hangs on to the model", async () => model.openStreams() === 0);
    await drained(world);
    return {
      tried: { wrongs: Object.keys(WRONGS) },
      found: { ...(await assertPromises(world)), outcomes, requests },
      says: `eight kinds of failure, each followed by ${[...new Set(Object.values(outcomes))].join(" or ")}; at most ${Math.max(...Object.values(requests))} requests for a text until then, nothing was said, the extraction before stood, and no thread was stuck afterwards.`,
    };
  });
});
