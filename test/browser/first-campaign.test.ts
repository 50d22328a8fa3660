import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import {
  DESKTOP,
  openBrowser,
  openPage,
  picture,
  setUpThere,
  TELEPHONE,
  withoutBrowser,
  wrongInBothSchemes,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const TEXT = "Who is this?";
/** More elements than a step has. */
const MOST_TABS = 60;

/** Answers with what brings the keyboard to an element, as its user goes there: forward by Tab. */
const tabber = (page: Page) => async (to: Locator) => {
  await to.waitFor();
  for (let i = 0; i < MOST_TABS; i++) {
    if ((await to.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not come to ${to}`);
};

/** What a person who has just set up sees: the guide, whichever hour it is, ends with a reply of the agent. */
const ending = async (page: Page) => {
  const feed = page.getByRole("log", { name: "Texts of Ada" });
  await feed.getByText(/this is Leo of Acme Homes/).waitFor();
  return { feed, turns: await feed.locator("> *").count() };
};

test("a first campaign is made from nothing by keyboard alone, and by mouse alone", {
  skip: withoutBrowser,
}, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const state = await page.context().storageState();
  const { step } = stepsOf(t);
  const seconds: Record<string, string> = {};

  await step("by keyboard alone, from the first steps of the home page to the agent's answer", async () => {
    const begun = performance.now();
    const go = tabber(page);
    const press = (key: string) => page.keyboard.press(key);
    await page.goto("/console/");
    await go(page.getByRole("region", { name: "First steps" }).getByRole("link", { name: "Guide me" }));
    await press("Enter");
    await page.getByRole("radio", { name: "Real estate" }).waitFor();
    await go(page.getByRole("radio", { name: "Real estate" }));
    await press("Space");
    for (const trade of ["Mortgage", "Insurance", "Solar"]) {
      await press("ArrowRight");
      await page.getByRole("radio", { name: trade, checked: true }).waitFor();
    }
    await go(page.getByRole("button", { name: "Get a number" }));
    await press("Enter");
    const dialog = page.getByRole("dialog", { name: "Get a number" });
    await go(dialog.getByRole("button", { name: /^Get \(/ }).first());
    await press("Enter");
    await dialog.waitFor({ state: "detached" });
    await picture(page, "first-1-agent");
    await go(page.getByRole("button", { name: "Next" }));
    await press("Enter");
    await go(page.getByRole("button", { name: "Put in three simulated contacts" }));
    await press("Enter");
    await page.getByText("3 contacts with first_name").waitFor();
    await go(page.getByRole("button", { name: "Next" }));
    await press("Enter");
    await page.getByText("Will be texted").waitFor();
    const later = page.getByRole("button", { name: "Skip to that time" });
    if (await later.isVisible()) {
      await go(later);
      await press("Enter");
      await later.waitFor({ state: "detached" });
      await page.getByText("Will be texted").waitFor();
    }
    await picture(page, "first-3-check");
    await go(page.getByRole("button", { name: "Text 3 people" }));
    await press("Enter");
    await go(page.getByRole("dialog").getByRole("button", { name: "Launch" }));
    await press("Enter");
    const { feed, turns } = await ending(page);
    await go(page.getByRole("textbox", { name: "What Ada texts" }));
    await page.keyboard.type(TEXT);
    await press("Enter");
    await feed.getByText(TEXT).waitFor();
    await feed
      .locator("> *")
      .nth(turns + 1)
      .waitFor();
    seconds.keyboard = ((performance.now() - begun) / 1_000).toFixed(1);
    assert.deepEqual(await wrongInBothSchemes(page, "first-4-play"), []);
  });

  await step("by mouse alone, from the empty page of campaigns of another organization", async () => {
    const made = await service.post("/v1/organizations", { name: "Acme Homes" });
    await service.post(`/v1/organizations/${made.body.unique_id}/users`, { name: "Uma", email: "uma@acme.example" });
    const other = await openPage(browser, service.url, DESKTOP, state);
    const { page } = other;
    await page.goto("/console/");
    await page.evaluate((id) => localStorage.setItem("parley-organization", id), made.body.unique_id as string);
    const begun = performance.now();
    await page.goto("/console/sms-campaigns");
    await page.getByText("No SMS campaign yet").waitFor();
    await page.getByRole("link", { name: "Begin with a guide" }).click();
    await page.getByRole("radio", { name: "Solar" }).click();
    assert.deepEqual(await wrongWith(page, "first-agent"), []);
    await page.getByRole("button", { name: "Get a number" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Get \(/ })
      .first()
      .click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Enter a number, or put in simulated contacts").waitFor();
    await page.getByRole("button", { name: "Put in three simulated contacts" }).click();
    await page.getByRole("grid", { name: "Preview" }).getByText("Cleo").waitFor();
    assert.deepEqual(await wrongWith(page, "first-contacts"), []);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Will be texted").waitFor();
    const later = page.getByRole("button", { name: "Skip to that time" });
    if (await later.isVisible()) {
      await later.click();
      await later.waitFor({ state: "detached" });
    }
    assert.deepEqual(await wrongWith(page, "first-check"), []);
    await page.getByRole("button", { name: "Text 3 people" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Launch" }).click();
    const { feed, turns } = await ending(page);
    await page.getByRole("region", { name: "Conversations" }).getByRole("button", { name: /Ben/ }).click();
    await page
      .getByRole("log", { name: "Texts of Ben" })
      .getByText(/this is Leo/)
      .waitFor();
    await page.getByRole("region", { name: "Conversations" }).getByRole("button", { name: /Ada/ }).click();
    await page.getByRole("button", { name: "Yes, tell me more" }).click();
    await feed
      .locator("> *")
      .nth(turns + 1)
      .waitFor();
    seconds.mouse = ((performance.now() - begun) / 1_000).toFixed(1);
    await page.setViewportSize(TELEPHONE);
    await picture(page, "first-4-play-375");
    assert.deepEqual(other.wrong, []);
  });

  await step("a row that cannot be used is shown before anybody is texted", async () => {
    await page.goto("/console/sms-campaigns/first?step=audience");
    await page.getByLabel("Contacts", { exact: true }).fill("Ada, 212 555 0111\nBo, 555 0112");
    await page.getByText("Row 2", { exact: true }).waitFor();
    await page.getByText("The phone number is too short: its area code is missing").waitFor();
    assert.deepEqual(await wrongWith(page, "first-contacts-wrong"), []);
  });

  await step("what somebody has written is replaced only when that is said", async () => {
    await page.getByRole("button", { name: "Put in three simulated contacts" }).click();
    await page.getByRole("dialog", { name: "Replace your contacts?" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Row 2", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Put in three simulated contacts" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await page.getByText("3 contacts with first_name").waitFor();
    await page.getByRole("button", { name: "Agent", exact: true }).click();
    await page.getByRole("radio", { name: "Solar" }).click();
    const text = page.getByLabel("First text");
    await text.fill("Hi, this is my own text.");
    await page.getByRole("radio", { name: "Mortgage" }).click();
    const dialog = page.getByRole("dialog", { name: "Replace what you have written?" });
    assert.deepEqual(await wrongWith(page, "first-replace"), []);
    await dialog.getByRole("button", { name: "Keep mine" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await text.inputValue(), "Hi, this is my own text.");
    await page.getByRole("radio", { name: "Solar", checked: true }).waitFor();
  });

  await step("a check whose page is loaded anew makes no second agent", async () => {
    const made = new Set<string>();
    await page.route("**/v1/agents", async (route) => {
      const answer = await route.fetch();
      made.add((await answer.json()).agent_id);
      await route.abort();
    });
    await page.getByRole("button", { name: "Check and start" }).click();
    await page.getByText("This cannot be launched yet").waitFor();
    await page.unroute("**/v1/agents");
    const later: Promise<{ agent_id: string }>[] = [];
    page.on("response", (answer) => {
      if (answer.request().method() === "POST" && answer.url().endsWith("/v1/agents")) later.push(answer.json());
    });
    await page.reload();
    await page.getByText("Will be texted").waitFor();
    await page.reload();
    await page.getByText("Will be texted").waitFor();
    for (const { agent_id } of await Promise.all(later)) made.add(agent_id);
    assert.equal(made.size, 1, [...made].join(" "));
    assert.deepEqual([...new Set(wrong)], [`failed: ${service.url}/v1/agents`]);
  });

  t.diagnostic(`seconds from the first click to the agent's answer: ${JSON.stringify(seconds)}`);
});
