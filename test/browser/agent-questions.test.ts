import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import { openBrowser, openPage, setUpThere, withoutBrowser, wrongWith } from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("what an agent asks is read and worded, and its versions are compared", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  const made = await service.post("/v1/agents", {
    ...owner,
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "You are Ava of Acme.\nFind out the budget.\nWe are open until 6. Never name a price.",
    starting_message: "Hi {{first_name}}, which city are you in?",
    extraction_fields: ["city", "zip_code", { name: "budget", required: true }],
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/agents/${made.body.agent_id}`;
  const question = (field: string) => page.getByRole("region", { name: `Question for ${field}` });
  const zip = question("zip_code");

  await t.test("the questions are there in their order, with what is answered and left to a person", async () => {
    await page.goto(`/console/agents/${made.body.agent_id}`);
    await page.getByRole("tab", { name: "Questions" }).click();
    await question("city").getByText("Asked by the first text").waitFor();
    await question("budget").getByText("Required").waitFor();
    assert.equal(await zip.getByRole("textbox", { name: "Question" }).inputValue(), "What's your zip code?");
    await page.getByRole("region", { name: "What it answers" }).getByText("We are open until 6.").waitFor();
    await page.getByRole("region", { name: "What it leaves to a person" }).getByText("Never name a price.").waitFor();
    assert.deepEqual(await wrongWith(page, "agents-questions"), []);
  });

  await t.test("what cannot be asked is said at the question", async () => {
    await zip.getByRole("textbox", { name: "Question" }).fill("Tell me the zip code");
    await page.getByText("1 question changed, not saved.").waitFor();
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await zip.getByText("must be one question that ends in ?").waitFor();
    assert.deepEqual(wrong.splice(0), [`400: PUT ${path}/script`]);
  });

  await t.test("what is not saved in the builder outlasts a version that the questions make", async () => {
    await page.getByRole("tab", { name: "Builder" }).click();
    const instructions = page.getByRole("textbox", { name: "Instructions" });
    const before = await instructions.inputValue();
    await instructions.fill(`${before} Be brief.`);
    await page.getByText("1 change, not saved.").waitFor();
    const { agent } = (await service.get(path)).body;
    assert.equal((await service.patch(path, { agent_name: `${agent.agent_name} B` })).status, 200);
    await page.reload();
    await page.getByText("1 change to version 1, which has been changed since, not saved.").waitFor();
    assert.equal(await instructions.inputValue(), `${before} Be brief.`);
    assert.equal(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue(), `${agent.agent_name} B`);
    await page.getByRole("button", { name: "Discard" }).click();
    assert.equal(await instructions.inputValue(), before);
    await page.getByRole("tab", { name: "Questions" }).click();
  });

  await t.test("a question is worded by keyboard alone, and saved as a new version", async () => {
    await zip.getByRole("textbox", { name: "Question" }).fill("Which ZIP code is the house in?");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Which five digits are they?");
    const save = page.getByRole("button", { name: "Save as version 3" });
    await save.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Texts, version 3").waitFor();
    await zip.getByText("Your words").waitFor();
    const { questions } = (await service.get(path)).body.agent;
    assert.deepEqual(questions, [
      {
        field: "zip_code",
        question: "Which ZIP code is the house in?",
        rephrased: ["Which five digits are they?"],
      },
    ]);
    assert.deepEqual(await wrongWith(page, "agents-questions-worded"), []);
  });

  await t.test("another is worded beside it, and the first is put back", async () => {
    await question("budget").getByRole("textbox", { name: "Question" }).fill("What would you like to spend?");
    await zip.getByRole("button", { name: "Reset the question for zip_code" }).click();
    await zip.getByText("It is asked in the agent's own words again").waitFor();
    await page.getByText("2 questions changed, not saved.").waitFor();
    await page.getByRole("button", { name: "Save as version 4" }).click();
    await page.getByText("Texts, version 4").waitFor();
    assert.equal(await zip.getByRole("textbox", { name: "Question" }).inputValue(), "What's your zip code?");
    await question("budget").getByText("Your words").waitFor();
    const { questions } = (await service.get(path)).body.agent;
    assert.deepEqual(questions, [{ field: "budget", question: "What would you like to spend?", rephrased: [] }]);
  });

  await t.test("a version is compared with any other, field by field and word by word", async () => {
    await service.patch(path, { prompt: "You are Ava of Acme.\nFind out the move date.", reply_delay_ms: 9_000 });
    await page.goto(`/console/agents/${made.body.agent_id}?tab=versions&version=5`);
    const change = page.getByRole("region", { name: "Version 5", exact: true });
    const instructions = change.getByRole("region", { name: "Change of Instructions" });
    await instructions.locator("del strong", { hasText: "budget" }).waitFor();
    await instructions.locator("ins strong", { hasText: "move date" }).waitFor();
    await change.getByText("9 seconds").waitFor();
    assert.equal(await change.getByRole("region", { name: "Change of Questions" }).count(), 0);
    await change.getByRole("combobox", { name: "Compare with" }).click();
    await page.getByRole("option", { name: "Version 3", exact: true }).click();
    await page.getByRole("heading", { name: "Version 5 compared with version 3" }).waitFor();
    const questions = change.getByRole("region", { name: "Change of Questions" });
    await questions.locator("del", { hasText: "Which ZIP code is the house in?" }).waitFor();
    await questions.locator("ins", { hasText: "What would you like to spend?" }).waitFor();
    assert.deepEqual(await wrongWith(page, "agents-versions-compared"), []);
  });

  await t.test("what was saved and will not work as it says is shown until somebody has read it", async () => {
    const voice = {
      ...owner,
      agent_type: "voice",
      agent_name: "Vera",
      prompt: "Call and ask.",
      voice_id: "offline-slt",
    };
    const { body } = await service.post("/v1/agents", voice);
    await page.goto(`/console/agents/${body.agent_id}`);
    await page.getByRole("combobox", { name: "Voice", exact: true }).fill("11labs-Adrian");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    const warning = page.getByRole("alert").filter({ hasText: "Please check" });
    await warning.getByText(/"11labs-Adrian" is no voice that is configured here: .+ speaks instead/).waitFor();
    assert.deepEqual(await wrongWith(page, "agents-warning"), []);
    await warning.getByRole("button").click();
    await warning.waitFor({ state: "detached" });
    assert.deepEqual(wrong, []);
  });
});
