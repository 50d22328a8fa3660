import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, openBrowser, openPage, settle, withoutBrowser, wrongWith } from "#test/support/browser/browser.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { gets, says } from "#test/support/messaging/handset.ts";
import { startConsole } from "#test/support/processes/console-process.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** By their last two digits: one that takes texts, and one that is unreachable. */
const [ANN, DEE] = ["+12125550101", "+12125550120"] as const;

test("setting up, and the home page", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);

  await t.test(
    "after the first user is made, model and carrier are tried, and the console is one click away",
    async () => {
      await page.goto(service.setupLink);
      await page.getByLabel("Organization").fill(ADMIN.organization);
      await page.getByLabel("E-mail").fill(ADMIN.email);
      await page.locator("input[type=password]").fill("short");
      // The hint below the field says the same before anybody is refused.
      const refused = page.waitForResponse((response) => response.url().endsWith("/v1/setup"));
      await page.getByRole("button", { name: "Set up" }).click();
      await refused;
      await page.locator(".mantine-PasswordInput-error").waitFor();
      assert.deepEqual(wrong.splice(0), ["400: POST /v1/setup"]);
      await page.locator("input[type=password]").fill(ADMIN.password);
      await page.getByRole("button", { name: "Set up" }).click();
      await page.getByRole("heading", { name: "You're all set" }).waitFor();
      await page.getByRole("button", { name: "Test the model" }).click();
      await page.getByText("It answered").waitFor();
      await page.getByRole("button", { name: "Test the carrier" }).click();
      await page.getByText("It took a text to the simulated phone").waitFor();
      await page.getByRole("button", { name: "Load demo data" }).waitFor();
      assert.deepEqual(await wrongWith(page, "setup-try"), []);
      await page.getByRole("link", { name: "Go to the console" }).click();
      await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    },
  );

  await t.test("a beginner is led by first steps, and sees that nothing can place calls", async () => {
    await page.getByRole("region", { name: "First steps" }).getByRole("link", { name: "Make an agent" }).waitFor();
    await page.getByText("No media node runs: no call is placed or taken.").waitFor();
    await page.getByText("Nothing has failed today.").waitFor();
    await settle(page);
    assert.deepEqual(await wrongWith(page, "home-empty"), []);
  });

  await aNoon(service);
  const { organizationId } = await aCampaign(service, {
    contacts: [ANN, DEE].map((phone_number) => ({ phone_number })),
  });
  await gets(service, ANN, 1);

  await t.test("the day's figures follow without a reload, and what failed leads to whom it hit", async () => {
    await page.evaluate(`localStorage.setItem("parley-organization", "${organizationId}")`);
    await page.reload();
    const today = page.getByRole("region", { name: "Today", exact: true });
    await today.getByText("1 failed").waitFor();
    await says(service, ANN, "Yes, I do.");
    await today
      .getByText("Replies")
      .locator("..")
      .getByText(/^[1-9]\d*$/)
      .waitFor();
    await page.getByRole("region", { name: "First steps" }).waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Problems today" }).getByRole("link").click();
    await page.waitForURL(/sms-campaigns\/.+status=failed&reason=30003/);
    assert.deepEqual(wrong, []);
  });

  await t.test("who waits for an answer is counted, and found from there with the reason", async () => {
    const sql = await openClient(t, service.databaseUrl);
    const waits = async (more: string) => {
      await sql.query(`update threads set ${more} where phone = $1`, [ANN]);
      await page.goto("/console");
      await page.getByText("Contacts wait for an answer").waitFor();
    };
    await waits("person_wanted_at = now()");
    assert.deepEqual(await wrongWith(page, "home-waiting"), []);
    await page.getByRole("link", { name: "1 conversation needs a person" }).click();
    await page.waitForURL(/attention=needs_person/);
    const list = page.getByRole("region", { name: "Conversations" });
    await list.getByText(/^Left to a person by the agent/).waitFor();
    await list.getByText("Needs a person").click();
    await page.getByText(/^A person has been wanted since .*: the agent passed a question on/).waitFor();
    const shown = page.getByRole("region", { name: "Conversation", exact: true });
    await shown.getByText("Needs a person", { exact: true }).waitFor();
    assert.equal(await page.getByText("could not answer").count(), 0);
    const delayed = "answer_failures = 3, answer_failing_since = now(), reply_due_at = now() + interval '90 days'";
    await waits(`person_wanted_at = null, ${delayed}`);
    await page.getByRole("link", { name: "1 answer waits for the language model" }).click();
    await page.waitForURL(/attention=answer_delayed/);
    await list.getByText("Answer delayed").click();
    await page.getByText("The language model has not answered since").waitFor();
    assert.deepEqual(await wrongWith(page, "conversation-delayed"), []);
    assert.deepEqual(wrong, []);
  });
});
