import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { ownerOf } from "#test/support/accounts/owner.ts";
import { openBrowser, openPage, setUpThere, withoutBrowser } from "#test/support/browser/browser.ts";
import { PEOPLE, seedCampaigns } from "#test/support/browser/campaign-console.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, threadPath } from "#test/support/messaging/handset.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const AGENT = {
  agent_type: "sms",
  agent_name: "Ava",
  starting_message: "Hi {{first_name|there}}, this is Ava of Acme.",
  // It says nothing while one looks on.
  reply_delay_ms: 300_000,
};
const [ADA] = PEOPLE;
const UNREACHABLE = "The service cannot be reached. Check your connection.";

/** From here on the service does what it is asked by POST at the path, and the page never gets an answer. Answers with what ends that. */
async function loseAnswers(page: Page, path: string): Promise<() => Promise<void>> {
  const at = (url: URL) => url.pathname === path;
  await page.route(at, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    await route.fetch();
    await route.abort();
  });
  return () => page.unroute(at);
}

test("what is pressed again after its answer was lost happens once", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const { step } = stepsOf(t);
  const owner = await ownerOf(page);
  await seedCampaigns(service, owner, AGENT);
  const of = `organization_id=${owner.organization_id}`;
  const list = async (path: string, name: string) => (await service.get(path)).body[name] as Record<string, unknown>[];
  /** The lost requests are what was asked for; nothing else has gone wrong. */
  const wereLost = (path: string) => {
    const noted = new Set(wrong.splice(0));
    assert.deepEqual([...noted], [`failed: ${service.url}${path}`]);
  };
  const agentId = (await list(`/v1/agents?${of}`, "agents"))[0]!.agent_id;

  await step("a text that a person sends", async () => {
    const made = await service.post("/v1/campaigns", {
      ...owner,
      campaign_name: "Ada alone",
      sms_agent_id: agentId,
      svc_sms_number: SENDER,
      contacts: [ADA],
    });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    await gets(service, ADA!.phone_number, 1);
    const thread = threadPath(ADA!.phone_number, made.body.campaign_id);
    await page.goto(`/console/conversations/${thread.split("/").at(-1)}`);
    const path = `${thread}/messages`;
    const findAnswers = await loseAnswers(page, path);
    await page.getByRole("textbox", { name: "Your text" }).fill("See you at five");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText(UNREACHABLE).waitFor();
    await findAnswers();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("textbox", { name: "Your text" }).and(page.locator(":empty")).waitFor();
    wereLost(path);
    const texts = await gets(service, ADA!.phone_number, 2);
    assert.deepEqual(texts, ["Hi Ada, this is Ava of Acme.", "See you at five"]);
  });

  await step("the same text once more, when it is meant: what was answered is sent anew", async () => {
    await page.getByRole("textbox", { name: "Your text" }).fill("See you at five");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const texts = await gets(service, ADA!.phone_number, 3);
    assert.equal(texts[2], "See you at five");
  });

  await step("a campaign that is launched, also when the page was loaded anew in between", async () => {
    await page.goto("/console/sms-campaigns/new");
    await page.getByLabel("Name").fill("Spring");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Ava" }).click();
    const launch = async () => {
      await page.getByRole("button", { name: /^Text \d+ (person|people)$/ }).click();
      await page.getByRole("button", { name: "Launch", exact: true }).click();
    };
    await page
      .getByRole("button", { name: "Get a number" })
      .or(page.getByRole("combobox", { name: "Sender" }))
      .waitFor();
    if (await page.getByRole("button", { name: "Get a number" }).isVisible()) {
      await page.getByRole("button", { name: "Get a number" }).click();
      await page
        .getByRole("dialog", { name: "Get a number" })
        .getByRole("button", { name: /^Get \(/ })
        .first()
        .click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    } else {
      await page.getByRole("combobox", { name: "Sender" }).click();
      await page.getByRole("option").first().click();
    }
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("combobox", { name: "List of contacts" }).click();
    await page.getByRole("option", { name: /Spring buyers/ }).click();
    await page.getByRole("button", { name: "Check and launch" }).click();
    const findAnswers = await loseAnswers(page, "/v1/campaigns");
    await launch();
    await page.getByText(UNREACHABLE).waitFor();
    await launch();
    await page.getByText(UNREACHABLE).waitFor();
    await page.reload();
    await findAnswers();
    await launch();
    await page.getByRole("heading", { name: "Spring", level: 1 }).waitFor();
    wereLost("/v1/campaigns");
    const campaigns = await list(`/v1/campaigns?${of}`, "campaigns");
    assert.deepEqual(campaigns.map(({ campaign_name }) => campaign_name).sort(), ["Ada alone", "Spring"]);
  });

  await step("a list of contacts", async () => {
    await page.goto("/console/contacts");
    await page.getByRole("grid").getByText("Ada").first().waitFor();
    await page.getByRole("checkbox", { name: "Choose all shown" }).check();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Add to a list" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "List" }).click();
    await page.getByRole("option", { name: "New list" }).click();
    await dialog.getByLabel("Name of the new list").fill("Hot");
    const findAnswers = await loseAnswers(page, "/v1/contacts/lists");
    await dialog.getByRole("button", { name: "Add to the list" }).click();
    await dialog.getByText(UNREACHABLE).waitFor();
    await findAnswers();
    await dialog.getByRole("button", { name: "Add to the list" }).click();
    await dialog.waitFor({ state: "detached" });
    wereLost("/v1/contacts/lists");
    const lists = await list(`/v1/contacts/lists?${of}`, "lists");
    assert.equal(lists.filter(({ list_name }) => list_name === "Hot").length, 1);
    assert.deepEqual(wrong, []);
  });
});
