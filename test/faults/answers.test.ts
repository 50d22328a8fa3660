import { test } from "node:test";
import { type Behavior, startLanguageModelServer } from "../support/language-model-server.ts";
import { until } from "../support/parley.ts";
import { assertPromises } from "./checkers.ts";
import { aRun, drained, newPhones, noon, say } from "./load.ts";
import { scenario, wants } from "./scenario.ts";
import { startWorld } from "./world.ts";

const TIMEOUT_MS = 1_500;

const WRONGS: Record<string, Behavior> = {
  timeout: { kind: "stall" },
  "timeout after the head": { kind: "stall", afterHead: true },
  "500": { kind: "status", status: 500 },
  "429": { kind: "status", status: 429, headers: { "retry-after": "1" } },
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
    for (const [name, behavior] of Object.entries(WRONGS)) {
      const [phone] = newPhones(world, 1);
      model.behave({ kind: "answer", text: "Glad to hear from you. When may we talk?" });
      const { campaignId } = await aRun(world, { phones: [phone!], agent: { drip_schedule: [], reply_delay_ms: 0 } });
      await drained(world);
      model.behave(behavior);
      await say(world, phone!, "Yes, tell me more");
      const thread = () => world.api.get(`/v1/sms/threads/${encodeURIComponent(phone!)}_${campaignId}`);
      const replies = async () =>
        (await thread()).body.thread.messages.filter((it: { kind: string }) => it.kind === "reply").length as number;
      // Whatever it does now; then the model is well again, and the next text must be answered.
      await drained(world, 40_000);
      const meanwhile = await replies();
      model.behave({ kind: "answer", text: "Glad to hear from you. When may we talk?" });
      await say(world, phone!, "Are you there?");
      await until(`the thread is not stuck after ${name}`, async () => (await replies()) > meanwhile, 40_000);
      outcomes[name] = meanwhile > 0 ? "fallback" : "silence";
    }
    await until("nothing hangs on to the model", async () => model.openStreams() === 0);
    await drained(world);
    return {
      tried: { wrongs: Object.keys(WRONGS) },
      found: { ...(await assertPromises(world)), outcomes },
      says: `eight kinds of failure, each answered by ${[...new Set(Object.values(outcomes))].join(" or ")}; no thread was stuck afterwards.`,
    };
  });
});
