import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import { startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import {
  openBrowser,
  openPage,
  picture,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const FOUND = {
  extracted_fields: { budget: "500k" },
  evidence: { budget: { message_id: "m2", quote: "around 500k" } },
  lead_outcome: "in_conversation",
  objective_met: false,
};

test("one talks to an agent and sees how it comes to what it says", { skip: withoutBrowser }, async (t) => {
  const model = await startLanguageModelServer();
  t.after(() => model.close());
  const service = await startConsole(t, {
    roles: "api",
    env: {
      PARLEY_LLM_BASE_URL: model.url,
      PARLEY_LLM_MODEL: "stand-in",
      PARLEY_PRICE_MODEL_MILLION_INPUT: "1000",
    },
  });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  const says = page.getByLabel("What the contact says");
  const said = page.getByRole("log");
  const say = async (text: string) => {
    await says.fill(text);
    await says.press("Enter");
  };

  await t.test("without an agent it leads to a new one", async () => {
    await page.goto("/console/playground");
    await page.getByText("There is no agent to talk to").waitFor();
    assert.deepEqual(await violations(page), []);
  });

  await service.post("/v1/agents", {
    ...owner,
    agent_type: "voice",
    agent_name: "Vera",
    voice_id: "offline-slt",
    prompt: "Call and ask.",
    starting_message: "Hello {{first_name}}, it is Vera.",
  });
  const made = await service.post("/v1/agents", {
    ...owner,
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "Find out the budget.",
    starting_message: "Hi {{first_name}}, it is Ava.",
    extraction_fields: ["budget", "best_time"],
  });
  assert.equal(made.status, 201);

  await t.test("the agent begins, answers, and its turn is open to be looked into", async () => {
    await page.goto(`/console/playground?agent=${made.body.agent_id}`);
    await said.getByText("Hi Alex, it is Ava.").waitFor();
    model.behave(
      { kind: "answer", text: "Thanks! And when may we call you?" },
      { kind: "answer", text: JSON.stringify(FOUND) },
    );
    await say("We have around 500k");
    await said.getByText("Thanks! And when may we call you?").waitFor();
    const turn = page.getByRole("region", { name: "This turn" });
    await turn.getByText("42 read, 7 written").waitFor();
    await turn.getByText(/Find out the budget\./).waitFor();
    const found = page.getByRole("region", { name: "Found out so far" });
    await found.getByText("500k", { exact: false }).first().waitFor();
    await found.getByText("“around 500k”").waitFor();
    assert.deepEqual(await wrongWith(page, "playground"), []);
    await said.getByRole("button", { name: "Hi Alex, it is Ava." }).click();
    await turn.getByText("not asked").waitFor();
  });

  await t.test("what it would do is shown, and an opt-out ends it", async () => {
    await say("STOP");
    await said.getByText("Opts the contact out: nothing more is sent").waitFor();
    await page.getByText("In a real conversation nothing more would be sent.").waitFor();
    assert.equal(await says.isDisabled(), true);
    await picture(page, "playground-over");
    await page.getByRole("button", { name: "Start again" }).click();
    await said.getByText("Hi Alex, it is Ava.").waitFor();
    assert.equal(await says.isDisabled(), false);
  });

  await t.test("another contact is greeted by its own name, and what is refused is said", async () => {
    await page.getByRole("button", { name: "Change the fields" }).click();
    await page.getByLabel("Value of first_name").fill("Zoe");
    await said.getByText("Hi Zoe, it is Ava.").waitFor();
    assert.deepEqual(wrong, []);
    await page.getByLabel("Value of phone_number").fill("+1212");
    await page
      .getByRole("alert")
      .getByText(/The contact.s phone number/)
      .waitFor();
    assert.match(wrong.splice(0).join(), /^400: POST \/v1\/playground\/turns/);
    assert.deepEqual(await wrongWith(page, "playground-fields"), []);
  });

  await t.test("an agent that calls is talked to in words", async () => {
    await page.goto("/console/playground");
    await page.getByLabel("Agent", { exact: true }).first().click();
    await page.getByRole("option", { name: "Vera" }).click();
    await said.getByText(/Hello Alex, it is Vera/).waitFor();
    await say("Take me off your list");
    await said.getByText("Opts the contact out: never called again").waitFor();
    assert.deepEqual(wrong, []);
  });
});
