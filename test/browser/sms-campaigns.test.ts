import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { getNumber, seedCampaigns } from "#test/support/browser/campaign-console.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const AGENT = {
  agent_type: "sms",
  agent_name: "Ava",
  starting_message: "Hi {{first_name}}, this is Ava of Acme. Do you have a minute?",
  drip_schedule: [{ day: 2, message: "Hi {{first_name}}, did you see my text?" }],
  // No conversation ends, and the campaign with the last of them, while one looks on.
  reply_delay_ms: 300_000,
};

test("SMS campaigns are made, followed and steered", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const { step } = stepsOf(t);

  await step("an empty list says what a campaign is, and leads to a new one", async () => {
    await seedCampaigns(service, await ownerOf(page), AGENT);
    await page.goto("/console/sms-campaigns");
    await page.getByText("No SMS campaign yet").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "New SMS campaign" }).first().click();
    await page.getByRole("heading", { name: "New SMS campaign" }).waitFor();
  });

  await step("the check names what is missing, and leads to its step", async () => {
    await page.getByLabel("Name").fill("Spring");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Ava" }).click();
    await page.getByRole("button", { name: "Attach a picture" }).click();
    await page.getByLabel("Address of picture 1").fill("http://cdn.example.com/house.jpg");
    await page.getByRole("button", { name: "Check and launch" }).click();
    await page.getByText("This cannot be launched yet").waitFor();
    assert.deepEqual(await wrongWith(page, "sms-wizard-errors"), []);
    // The refusal is what was asked for.
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/campaigns/preflight"]);
    await page.getByRole("alert").getByRole("button", { name: "Audience" }).click();
    await page.getByText("Choose a list or paste contacts").waitFor();
    await page.getByRole("combobox", { name: "List of contacts" }).click();
    await page.getByRole("option", { name: /Spring buyers/ }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Only at certain hours").check();
    await page.getByText("2 days later").waitFor();
    assert.deepEqual(await wrongWith(page, "sms-wizard-schedule"), []);
    await page.getByLabel("Only at certain hours").uncheck();
  });

  await step("what was filled in outlasts a reload", async () => {
    await page.reload();
    await page.getByText("What you had filled in is still here.").waitFor();
    await page.getByRole("button", { name: "Set up" }).click();
    assert.equal(await page.getByLabel("Name").inputValue(), "Spring");
    await getNumber(page);
  });

  await step("a picture's address that no carrier could fetch is said at its field", async () => {
    await page.getByRole("button", { name: "Check and launch" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("The address of a picture must be addresses that begin with https://").waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/campaigns/preflight"]);
    await alert.getByRole("button", { name: "Set up" }).click();
    await alert.getByText("must be addresses that begin with https://").waitFor();
    assert.deepEqual(await wrongWith(page, "sms-wizard-picture"), []);
    await page.getByLabel("Address of picture 1").fill("https://cdn.example.com/house.jpg");
    await alert.getByText("must be addresses that begin with https://").waitFor({ state: "detached" });
  });

  await step("the preflight shows who is texted and what they read; then it is launched", async () => {
    await page.getByRole("button", { name: "Check and launch" }).click();
    await page.getByText("Hi Ada, this is Ava of Acme. Do you have a minute?").waitFor();
    await page.getByRole("region", { name: "Missing fields" }).getByText("first name").waitFor();
    assert.deepEqual(await wrongWith(page, "sms-wizard-check"), []);
    await page.getByRole("button", { name: /^Text \d+ (person|people)$/ }).click();
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByRole("heading", { name: "Spring", level: 1 }).waitFor();
    await page.getByRole("region", { name: "Set up" }).getByText("https://cdn.example.com/house.jpg").waitFor();
  });

  await step("the detail follows the campaign, and shows its recipients by state, reason and number", async () => {
    await page.getByRole("button", { name: "Failed 2" }).waitFor();
    const funnel = page.getByRole("region", { name: "Funnel" });
    for (const name of ["Contacts reached", "Contacts who replied", "Texts delivered", "Cost so far, texts and calls"])
      await funnel.getByText(name, { exact: true }).waitFor();
    for (const name of ["Delivered", "Replied"])
      assert.equal(await page.getByText(name, { exact: true }).count(), 0, `${name}: texts or contacts?`);
    const table = page.getByRole("grid", { name: "Recipients" });
    await page.getByRole("button", { name: "Failed 2" }).click();
    await page.waitForURL(/status=failed/);
    await table.getByText("Dee").waitFor();
    await table.getByText("Ada").waitFor({ state: "hidden" });
    await table.getByText("Eve").waitFor();
    assert.equal(await table.getByRole("row").count(), 3);
    await page.reload();
    await page
      .getByRole("region", { name: "Reasons" })
      .getByRole("button", { name: /could not be reached/ })
      .click();
    await page.waitForURL(/reason=30003/);
    await table.getByText("Dee").waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.waitForURL(({ search }) => search === "");
    await page.keyboard.press("/");
    await page.keyboard.type("(212) 555-0101");
    await page.waitForURL(/phone_number=/);
    await table.getByText("Ada").waitFor();
    await page.keyboard.press("Escape");
    await table.getByText("Bo").waitFor();
  });

  await step("it is paused and resumed, and people are added", async () => {
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("It is paused").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: "Add people" }).click();
    await page.getByText("Pasted contacts").click();
    await page.getByLabel("Contacts", { exact: true }).fill("phone,first name\n+12125550104,Flo\n+12125550101,Ada");
    await page.getByText("2 contacts with first_name").waitFor();
    assert.deepEqual(await wrongWith(page, "sms-add"), []);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("1 added, 1 passed over.").waitFor();
  });

  await step("while it is paused it is edited: name, objective, end and hours", async () => {
    const dialog = page.getByRole("dialog", { name: "Edit the campaign" });
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByText("can be changed while the campaign is paused").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Name").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Enter a name").waitFor();
    await dialog.getByLabel("Name").fill("Late spring");
    await dialog.getByLabel("Objective").fill("A viewing");
    await dialog.getByLabel("End at").fill("2020-01-01T10:00");
    await dialog.getByLabel("Only at certain hours").check();
    await dialog.getByLabel("From").fill("10:00");
    assert.deepEqual(await wrongWith(page, "sms-edit"), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByLabel("End at").and(page.locator("[aria-invalid=true]")).waitFor();
    assert.deepEqual(wrong.splice(0), [`400: PATCH /v1/campaigns/${page.url().split("/").at(-1)}`]);
    await dialog.getByLabel("End at").fill("2099-01-01T10:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Late spring", level: 1 }).waitFor();
    const setup = page.getByRole("region", { name: "Set up" });
    await setup.getByText("Mon to Fri, 10:00 to 20:00").waitFor();
    await setup.getByText("A viewing").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Name").fill("Spring");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("heading", { name: "Spring", level: 1 }).waitFor();
  });

  await step("a test goes to one's own phone, and those who failed are texted again", async () => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Send a test to me" }).click();
    await page.getByRole("textbox", { name: "Phone number" }).fill("+12125550105");
    await page.getByLabel("first name").fill("Me");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("It is on its way.").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Text the 2 failed again" }).click();
    await page.getByRole("heading", { name: "New SMS campaign" }).waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "Spring (again)");
    await page.getByRole("button", { name: "Check and launch" }).click();
    await page.getByText("of 2", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Text \d+ (person|people)$/ }).click();
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByRole("heading", { name: "Spring (again)", level: 1 }).waitFor();
    assert.deepEqual(wrong, []);
  });
});
