import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser, openPage, setUpThere, withoutBrowser, wrongWith } from "#test/support/browser/browser.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignIs } from "#test/support/messaging/handset.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("all sending is stopped from any page, which every page then says, and resumed there", {
  skip: withoutBrowser,
}, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await page.goto(service.setupLink);
  await setUpThere(page, service.setupLink);
  await page.goto("/console/contacts");
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();

  await page.getByRole("button", { name: "Stop sending" }).click();
  await page.getByLabel("Reason").fill("The price is wrong");
  assert.deepEqual(await wrongWith(page, "stop-sending"), []);
  await page.getByRole("button", { name: "Stop everything" }).click();
  await page.getByText("No call was going on.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "Stop sending" }).waitFor({ state: "detached" });

  for (const place of ["/console/agents", "/console/"]) {
    await page.goto(place);
    await page.getByText("All sending and calling is stopped").waitFor();
    await page.getByText("The price is wrong").waitFor();
  }
  assert.deepEqual(await wrongWith(page, "sending-stopped"), []);
  await aNoon(service);
  const { campaignId } = await aCampaign(service, { contacts: [{ phone_number: "+12125550101" }] });
  assert.equal((await service.get(`/v1/campaigns/${campaignId}`)).body.campaign.counts.delivered ?? 0, 0);

  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("All sending and calling is stopped").waitFor({ state: "detached" });
  await campaignIs(service, campaignId, "completed");
  await page.getByRole("button", { name: "Stop sending" }).waitFor();

  // Somebody else stops it, and this page says so without being asked.
  assert.equal((await service.post("/v1/sending/stop", {})).status, 200);
  await page.getByText("All sending and calling is stopped").waitFor();
  assert.deepEqual(wrong, []);
});
