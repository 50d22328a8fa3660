import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import { openBrowser, openPage, setUpThere, withoutBrowser, wrongWith } from "#test/support/browser/browser.ts";
import { getNumber, seedCampaigns } from "#test/support/browser/campaign-console.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const AGENT = { agent_type: "voice", agent_name: "Vera", voice_id: "11labs-Adrian" };

test("voice campaigns are made, followed and stopped", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api,worker,media" });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const { step } = stepsOf(t);

  await step("a wizard of five steps ends with what launching would do", async () => {
    await seedCampaigns(service, await ownerOf(page), AGENT);
    await page.goto("/console/voice-campaigns");
    await page.getByText("No voice campaign yet").waitFor();
    await page.getByRole("link", { name: "New voice campaign" }).first().click();
    assert.equal(await page.getByLabel("Name").getAttribute("required"), "", "without a star");
    await page.getByLabel("Name").fill("Ring round");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Vera" }).click();
    await page.getByRole("button", { name: "Audience" }).click();
    await page.getByRole("combobox", { name: "List of contacts" }).click();
    await page.getByRole("option", { name: /Spring buyers/ }).click();
    await page.getByRole("button", { name: "Pace and redial" }).click();
    await page.getByLabel("Calls at once").fill("5");
    assert.deepEqual(await wrongWith(page, "voice-wizard-pace"), []);
  });

  await step("what the API refuses is shown at its field", async () => {
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("This cannot be launched yet").waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/voice/campaigns/preflight"]);
    await page.getByRole("alert").getByRole("button", { name: "Set up" }).click();
    await getNumber(page);
    await page.getByRole("button", { name: "Check and launch" }).click();
    await page.getByText("Will be called").waitFor();
    await page.getByText("5 at once").waitFor();
    assert.deepEqual(await wrongWith(page, "voice-wizard-check"), []);
    await page.getByRole("button", { name: /^Call \d+ (person|people)$/ }).click();
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByRole("heading", { name: "Ring round", level: 1 }).waitFor();
  });

  await step("the detail follows the calls, and shows those of the campaign and who was not reached", async () => {
    await page.getByText(/[1-6] of 6 contacts called/).waitFor();
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.waitForURL(/list=calls/);
    const calls = page.getByRole("grid", { name: "Calls" });
    await calls.getByText("(212) 555-01").first().waitFor();
    await calls.getByText("Ada", { exact: true }).first().click();
    await page.getByRole("heading", { name: "Call to Ada", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("tab", { name: "Numbers not reached" }).click();
    await page.waitForURL(/list=failed/);
    await page.getByRole("tab", { name: "Recipients" }).click();
    await page.getByRole("grid", { name: "Recipients" }).getByText("Ada").waitFor();
  });

  await step("Stop all pauses it, and asks before", async () => {
    await page.getByRole("button", { name: "Stop all" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop all" }).click();
    await page.getByText("It is paused").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Edit the campaign" });
    await dialog.getByLabel("Name").fill("Second round");
    await dialog.getByLabel("Objective").fill("An appointment");
    assert.deepEqual(await wrongWith(page, "voice-edit"), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Second round", level: 1 }).waitFor();
    await page.getByRole("region", { name: "Set up" }).getByText("An appointment").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "Add people" }).click();
    await page.getByText("Pasted contacts").click();
    await page.getByLabel("Contacts", { exact: true }).fill("+12125550104");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("1 added, 0 to be called after all, 0 passed over.").waitFor();
    assert.deepEqual(wrong, []);
  });
});
