import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  picture,
  setUpThere,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { microphone } from "#test/support/browser/microphone.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("one talks with an agent by the browser's microphone", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t, await microphone(500, "Hello?", 6_000, "Yes, I want to sell.", 6_000));
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const made = await service.post("/v1/agents", {
    ...(await ownerOf(page)),
    agent_type: "voice",
    agent_name: "Vera",
    voice_id: "offline-slt",
    prompt: "Ask whether they want to sell.",
    starting_message: "Hello {{first_name}}, do you want to sell your house?",
    // One more than the microphone answers, or the agent would be done; and it speaks by itself, which cuts nothing off.
    extraction_fields: ["interest", "best_time"],
    interruption_sensitivity: 0,
  });
  assert.equal(made.status, 201);
  const said = page.getByRole("log", { name: "What was said" });

  await t.test("it greets, hears and answers", async () => {
    await page.goto("/console/playground");
    await page.getByText("By voice").click();
    assert.deepEqual(await wrongWith(page, "playground-voice"), []);
    await page.getByRole("button", { name: "Call Vera" }).click();
    await said.getByText(/^Hello Alex, do you want to sell your house/).waitFor();
    // The first is the hello, the second what they said to it.
    await said.locator("[data-role=contact]").nth(1).waitFor();
    await said.locator("[data-role=agent]").nth(1).waitFor();
    assert.deepEqual(await wrongWith(page, "playground-call"), []);
  });

  await t.test("muted it goes on, and hung up it says how it went", async () => {
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("Vera does not hear you").waitFor();
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByText("You hung up").waitFor();
    await page.getByText("Answered within").waitFor();
    await page.getByRole("region", { name: "Found out so far" }).getByText("Sentiment").waitFor();
    await picture(page, "playground-call-over");
    assert.deepEqual(await wrongWith(page, "playground-call-over"), []);
    assert.deepEqual(wrong, []);
  });
});

test("a microphone that is not allowed is reported", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t, ["--use-fake-device-for-media-stream", "--deny-permission-prompts"]);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  await service.post("/v1/agents", {
    ...(await ownerOf(page)),
    agent_type: "voice",
    agent_name: "Vera",
    voice_id: "offline-slt",
    prompt: "Ask.",
  });
  await page.goto("/console/playground");
  await page.getByText("By voice").click();
  await page.getByRole("button", { name: "Call Vera" }).click();
  await page
    .getByRole("alert")
    .getByText(/microphone/i)
    .waitFor();
  assert.deepEqual(wrong, []);
});
