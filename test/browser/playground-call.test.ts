import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { G711_RATE } from "#domain/g711.ts";
import { monoWav } from "#media/mono-wav.ts";
import { openBrowser, openPage, picture, setUpThere, withoutBrowser, wrongWith } from "#test/support/browser.ts";
import { startConsole } from "#test/support/console-process.ts";
import { ownerOf } from "#test/support/owner.ts";
import { spoken } from "../peers/line.ts";

/** Has the browser take this for what its microphone hears, over and over. */
async function microphone(t: TestContext, ...parts: (string | number)[]): Promise<string[]> {
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

test("one talks with an agent by the browser's microphone", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t, await microphone(t, 500, "Hello?", 6_000, "Yes, I want to sell.", 6_000));
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const made = await service.post("/v1/agents", {
    ...(await ownerOf(page)),
    agent_type: "voice",
    agent_name: "Vera",
    voice_id: "offline-slt",
    prompt: "Ask whether they want to sell.",
    starting_message: "Hello {{first_name}}, do you want to sell your house?",
    extraction_fields: ["interest"],
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

test("a microphone that nobody allows is told of", { skip: withoutBrowser }, async (t) => {
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
