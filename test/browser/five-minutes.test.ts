import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import {
  ADMIN,
  DESKTOP,
  openBrowser,
  openPage,
  picture,
  settle,
  violations,
  type Watched,
  withoutBrowser,
} from "#test/support/browser/browser.ts";
import { getNumber } from "#test/support/browser/campaign-console.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

/** As it comes from a CRM. By their last digits: Ann and Zoë say nothing of themselves, Dee is unreachable, Stan says STOP. */
const FILE = [
  "Mobile,First Name,Last Name,City",
  "(212) 555-0199,Ann,Lee,New York",
  "212.555.0198,Zoë,Young,Albany",
  "2.03E+09,Cy,Dent,Yonkers",
  "555-0103,Di,Moss,Yonkers",
  "+1 212 555 0120,Dee,Ash,New York",
  "7185550123,Stan,Hall,New York",
].join("\r\n");

const ANN = "(212) 555-0199";
const FIRST_TEXT = "Hi Ann, this is Ava of Acme Homes. Do you think of buying a home in New York?";
const ANSWER = "Yes. My budget is $450,000";
const BY_HAND = "Ada here: shall I send you the floor plan?";
const TO_A_PERSON = "Yes please. My email is ann.lee@example.com";

/** Somewhere else by the navigation, as people go. */
async function go(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

async function show(page: Page, name: string): Promise<void> {
  await settle(page);
  await picture(page, `five-minutes-${name}`);
}

/** What neither every-page.test.ts nor the test of a page sees. */
async function look(page: Page, name: string): Promise<void> {
  await show(page, name);
  assert.deepEqual(await violations(page), [], name);
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("textbox", { name: `Text from ${ANN}`, exact: true }).fill(text);
  await page.getByRole("button", { name: `Send the text from ${ANN}` }).click();
};

/**
 * What a newcomer does in the first five minutes, without the API. A call that is heard, word by word, is in
 * calls.test.ts.
 */
test("a newcomer comes from the setup link to a lead's answers", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  let phones: Watched | undefined;
  const { step, hasFailed } = stepsOf(t);

  await step("the printed link makes an admin and an organization", async () => {
    await page.goto(service.setupLink);
    await page.getByLabel("Organization").fill(ADMIN.organization);
    await page.getByLabel("Your first name").fill(ADMIN.name);
    await page.getByLabel("E-mail").fill(ADMIN.email);
    await page.locator("input[type=password]").fill(ADMIN.password);
    await look(page, "01-setup");
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("heading", { name: "You're all set" }).waitFor();
  });

  await step("demo data is loaded before one's eyes, and looked at", async () => {
    const progress = page.getByRole("progressbar", { name: "How far the demo data has come" });
    await page.getByRole("button", { name: "Load demo data" }).click();
    // Before anybody has looked, where the page is late.
    const isLoaded = page.getByText("The demo data is loaded");
    await progress.or(isLoaded).first().waitFor({ state: "attached" });
    await picture(page, "five-minutes-02-loading");
    await isLoaded.waitFor();
    await look(page, "03-loaded");
    await page.getByRole("link", { name: "Look at Sunrise Realty" }).click();
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await page.getByRole("region", { name: "Running campaigns" }).getByText("Sellers near Lake View Road").waitFor();
    await show(page, "04-demo");
    await page.getByRole("button", { name: "Organization: Sunrise Realty" }).click();
    await page.getByRole("menuitem", { name: ADMIN.organization }).click();
    const steps = page.getByRole("region", { name: "First steps" });
    // What the demo's contacts have said is not this organization's first reply.
    await steps.getByRole("link", { name: "Read the first reply" }).waitFor();
    await steps.getByRole("link", { name: "Look at Sunrise Realty" }).waitFor();
    await show(page, "05-home");
  });

  await step("an agent is made that is to find out two things", async () => {
    await page.getByRole("link", { name: "Make an agent" }).click();
    await page.getByRole("link", { name: "New agent" }).first().click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ava");
    await page.getByLabel("Instructions").fill("You are Ava of Acme Homes. Find out whether the contact wants to buy.");
    await page
      .getByLabel("First text")
      .fill("Hi {{first_name}}, this is Ava of Acme Homes. Do you think of buying a home in {{city}}?");
    for (const [at, name] of ["budget", "email"].entries()) {
      await page.getByRole("button", { name: "Add a field" }).click();
      const field = page.getByRole("group", { name: `Field ${at + 1}` });
      await field.getByRole("textbox", { name: "Field", exact: true }).fill(name);
    }
    await page.getByRole("button", { name: "Advanced settings" }).click();
    await page.getByLabel("Waits before it answers").fill("0");
    await show(page, "06-agent");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Ava", level: 1 }).waitFor();
  });

  await step("a file is imported, and the rows that are wrong are listed", async () => {
    await go(page, "Lists");
    await page.getByRole("link", { name: "Import contacts" }).first().click();
    const buffer = Buffer.from(FILE);
    await page.locator("input[type=file]").setInputFiles({ name: "Open house.csv", mimeType: "text/csv", buffer });
    await page.getByText("2 of them would not be taken").waitFor();
    await page.getByText("Excel has rounded phone numbers").waitFor();
    await show(page, "07-import");
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    const errors = page.getByRole("grid", { name: "Rows that were not taken" });
    await errors.getByText("Excel has rounded this phone number").waitFor();
    await errors.getByText("The phone number must have more digits, with its area code").waitFor();
    await show(page, "08-imported");
    await page.getByRole("link", { name: "Open the list" }).click();
    await page.getByRole("grid", { name: "Contacts of the list" }).getByText("Zoë").waitFor();
  });

  await step("a campaign to that list is checked and launched", async () => {
    await go(page, "SMS campaigns");
    await page.getByRole("link", { name: "New SMS campaign" }).first().click();
    await page.getByLabel("Name").fill("Open house");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Ava" }).click();
    await getNumber(page);
    await show(page, "09-wizard");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("combobox", { name: "List of contacts" }).click();
    await page.getByRole("option", { name: "Open house (4)" }).click();
    await look(page, "10-audience");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByLabel("Only at certain hours").waitFor();
    await show(page, "11-schedule");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText(FIRST_TEXT).waitFor();
    await show(page, "12-preflight");
    await page.getByRole("button", { name: /^Text \d+ (person|people)$/ }).click();
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByRole("heading", { name: "Open house", level: 1 }).waitFor();
  });

  const replied = page.getByRole("button", { name: "In progress 1", exact: true });
  await step("its progress moves without a reload", async () => {
    // Gone with the first reload.
    await page.evaluate("document.documentElement.dataset.same = 'yes'");
    await page.getByRole("heading", { name: "4 of 4 contacts processed" }).waitFor();
    await page.getByRole("button", { name: "Failed 1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Opted out 1", exact: true }).waitFor();
    assert.equal(await replied.count(), 0);
    await show(page, "13-progress");
  });

  await step("a phone of the simulator has the text, and answers", async () => {
    const state = await page.context().storageState();
    phones = await openPage(browser, service.url, DESKTOP, state);
    const handset = phones.page;
    await handset.goto("/console/");
    await go(handset, "Phone simulator");
    await handset.getByRole("button", { name: "Add a phone" }).click();
    await handset.getByRole("tab", { name: "In use" }).click();
    await handset.getByRole("button", { name: /\(212\) 555-0199/ }).click();
    const feed = handset.getByRole("log", { name: `What ${ANN} had` });
    await feed.getByText(FIRST_TEXT).waitFor();
    await say(handset, "Who is this?");
    await feed.getByText("Who is this?").waitFor();
    await feed.getByText(/Ava/).nth(1).waitFor();
    await show(handset, "14-phone");
    await replied.waitFor();
    assert.equal(await page.evaluate("document.documentElement.dataset.same"), "yes");
    await show(page, "15-replied");
  });

  const messages = page.getByRole("log", { name: "Messages" });
  await step("the conversation goes on live, and what was found out has its proof", async () => {
    await go(page, "Conversations");
    await page.getByRole("region", { name: "Conversations" }).getByText("Ann Lee").click();
    await messages.getByText("Who is this?").waitFor();
    const turns = messages.locator("[data-message]");
    const before = await turns.count();
    await say(phones!.page, ANSWER);
    await messages.getByText(ANSWER).waitFor();
    await turns.nth(before + 1).waitFor();
    const findings = page.getByRole("region", { name: "Findings" });
    await findings.getByText(/^450,?000$/).waitFor();
    await findings.getByRole("button", { name: "Show the message" }).first().click();
    await messages.locator("[data-marked]").getByText(ANSWER).waitFor();
    await show(page, "16-findings");
  });

  await step("a person takes over, writes, and hands back", async () => {
    const feed = phones!.page.getByRole("log", { name: `What ${ANN} had` });
    await page.getByLabel("Your text").fill(BY_HAND);
    await page.keyboard.press("Enter");
    await feed.getByText(BY_HAND).waitFor();
    await page.getByText("You have the conversation.").waitFor();
    await look(page, "17-takeover");
    await say(phones!.page, TO_A_PERSON);
    await messages.getByText(TO_A_PERSON).waitFor();
    const turns = messages.locator("[data-message]");
    const before = await turns.count();
    await page.getByRole("switch", { name: "Agent" }).click({ force: true });
    // What waited is answered by the agent.
    await turns.nth(before).waitFor();
    await page.getByRole("region", { name: "Findings" }).getByText("ann.lee@example.com", { exact: true }).waitFor();
    await page.getByText("You have the conversation.").waitFor({ state: "detached" });
    await show(page, "18-handed-back");
    await show(phones!.page, "19-phone");
  });

  if (hasFailed()) return;
  assert.deepEqual([...wrong, ...phones!.wrong], []);
});
