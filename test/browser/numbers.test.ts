import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  picture,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("numbers are found by area code, got, answered by an agent and given back", {
  skip: withoutBrowser,
}, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  const agent = { agent_name: "Vera", prompt: "Ask.", agent_type: "voice", voice_id: "11labs-Adrian" };
  assert.equal((await service.post("/v1/agents", { ...owner, ...agent })).status, 201);
  const numbers = page.getByRole("grid", { name: "Numbers" });

  await t.test("an empty page leads to getting one", async () => {
    await page.goto("/console/numbers");
    await page.getByText("No number yet").waitFor();
    await picture(page, "numbers-empty");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "Get a number" }).first().click();
    await page.getByRole("group", { name: "Nevada" }).waitFor();
  });

  await t.test("an area code is found by state, by city and by its digits", async () => {
    await page.keyboard.press("/");
    const states = page.getByRole("region", { name: "Area codes" }).getByRole("group");
    await page.keyboard.type("Nevada");
    await page.getByRole("group", { name: "Texas" }).waitFor({ state: "detached" });
    // Two other states have a city of that name, which come a little later.
    assert.equal(await page.getByRole("group", { name: "Nevada" }).getByRole("button").count(), 3);
    await page.keyboard.press("Escape");
    await page.getByRole("group", { name: "Texas" }).waitFor();
    await page.keyboard.type("reno");
    await page.getByRole("group", { name: "Texas" }).waitFor({ state: "detached" });
    await page.getByRole("group", { name: "Nevada" }).getByRole("button", { name: "775" }).waitFor();
    await states.nth(3).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.keyboard.type("zzz");
    await page.getByText("No matching area codes").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("group", { name: "Nevada" }).waitFor();
    await page.keyboard.type("21");
    await page.getByRole("group", { name: "Nevada" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "212", exact: true }).click();
    await page.getByRole("heading", { name: "Area code 212" }).waitFor();
    await page
      .getByText(/New York, NY/)
      .first()
      .waitFor();
  });

  await t.test("a number with wanted digits is got, and shown", async () => {
    const offered = page.getByRole("list", { name: "Numbers" }).getByRole("listitem");
    await offered.first().waitFor();
    await page.getByLabel("Digits that are to be in the number").fill("9999999");
    await page.getByText("No number has these digits.").waitFor();
    await page.keyboard.press("Escape");
    await offered.first().waitFor();
    assert.deepEqual(await wrongWith(page, "numbers-offer"), []);
    await page
      .getByRole("button", { name: /^Get \(212\)/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText("Nobody was called from it").waitFor();
    assert.match(page.url(), /number=%2B1212/);
  });

  await t.test("an agent answers it, and the list says so", async () => {
    const drawer = page.getByRole("dialog");
    await drawer.locator("input[placeholder='Nobody answers']").click();
    await page.getByRole("option", { name: "Vera" }).click();
    await drawer.getByRole("button", { name: "Let it answer" }).click();
    await drawer.getByText("It answers calls to this number now.").waitFor();
    assert.deepEqual(await wrongWith(page, "numbers-drawer"), []);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await numbers.getByText("Vera").waitFor();
  });

  await t.test("while a campaign calls from it, it is kept; then it is given back", async () => {
    const { phone_number } = (await service.get(`/v1/voice/phone-numbers?organization_id=${owner.organization_id}`))
      .body.phone_numbers[0];
    const { agents } = (await service.get(`/v1/agents?organization_id=${owner.organization_id}`)).body;
    const campaign = await service.post("/v1/voice/campaigns", {
      leads: [{ phone_number: "+12125550123" }],
      voice_agent_id: agents[0].voice_agent_id,
      agent_outbound_number: phone_number,
    });
    assert.equal(campaign.status, 202, JSON.stringify(campaign.body));
    const giveBack = async () => {
      await page.getByRole("button", { name: "Give it back" }).first().click();
      await page
        .getByRole("dialog", { name: /^Give .+ back\?$/ })
        .getByRole("button", { name: "Give it back" })
        .click();
    };
    await numbers.getByRole("row").nth(1).click();
    await giveBack();
    await page
      .getByRole("alert")
      .getByText(/campaign/i)
      .waitFor();
    assert.deepEqual(wrong.splice(0), [`409: DELETE /v1/voice/phone-numbers/${encodeURIComponent(phone_number)}`]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await service.delete(`/v1/voice/campaigns/${campaign.body.campaign_id}`);
    await giveBack();
    await page.getByText("No number yet").waitFor();
    assert.deepEqual(wrong, []);
  });
});
