import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import { until } from "#test/support/api/parley.ts";
import {
  openBrowser,
  openPage,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, says } from "#test/support/messaging/handset.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const ANN = "+12125550163";
const BO = "+13035550163";

test("extractions are found, read with their words, and made anew", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  const grid = page.getByRole("grid", { name: "Extractions" });

  await t.test("without any the page leads to the agents", async () => {
    await page.goto("/console/extractions");
    await page.getByText("No extractions yet").waitFor();
    assert.deepEqual(await violations(page), []);
  });

  await aNoon(service);
  const agent = await service.post("/v1/agents", {
    ...owner,
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "Find out whether the contact wants to sell, and for how much.",
    starting_message: "Hi, this is Ava. Do you want to sell?",
    extraction_fields: ["interest", "price"],
  });
  const campaign = await service.post("/v1/campaigns", {
    ...owner,
    campaign_name: "Spring sale",
    sms_agent_id: agent.body.agent_id,
    svc_sms_number: SENDER,
    contacts: [
      { phone_number: ANN, first_name: "Ann", last_name: "Smith" },
      { phone_number: BO, first_name: "Bo", last_name: "Jones" },
    ],
  });
  assert.equal(campaign.status, 202, JSON.stringify(campaign.body));
  for (const [phone, text] of [
    [ANN, "Yes, I want 450k for it"],
    [BO, "Yes, for 300k"],
  ] as const) {
    await gets(service, phone, 1);
    await says(service, phone, text);
  }
  await until("both have a price", async () => {
    const { body } = await service.get(`/v1/extractions?organization_id=${owner.organization_id}&field=price`);
    return body.count === 2;
  });

  await t.test("by a part of a value, with the filters in the URL", async () => {
    await page.goto("/console/extractions");
    await grid.getByText("Bo Jones").waitFor();
    assert.deepEqual(await wrongWith(page, "extractions"), []);
    await page.keyboard.press("/");
    await page.keyboard.type("450");
    await grid.getByText("Bo Jones").waitFor({ state: "detached" });
    assert.match(page.url(), /value=450/);
  });

  await t.test("one is opened by keyboard, with the contact's own words and the way to the conversation", async () => {
    await page.keyboard.press("Escape");
    await grid.getByText("Bo Jones").waitFor();
    await grid.getByText("Ann Smith").click();
    const drawer = page.getByRole("dialog", { name: "Ann Smith" });
    await drawer
      .getByText(/“.*450k.*”/)
      .first()
      .waitFor();
    assert.deepEqual(await wrongWith(page, "extraction"), []);
    await drawer.getByRole("link", { name: "Open the conversation" }).click();
    await page.getByText("Yes, I want 450k for it").first().waitFor();
  });

  await t.test("the chosen are analyzed again", async () => {
    await page.goto("/console/extractions");
    await page.getByRole("checkbox", { name: "Choose all conversations shown" }).check();
    await page.getByRole("button", { name: "Re-analyze" }).click();
    await page.getByText("2 conversations are being analyzed again. The list follows.").waitFor();
    assert.deepEqual(wrong, []);
  });
});
