import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser, openPage, setUpThere, withoutBrowser, wrongWith } from "#test/support/browser/browser.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const PUBLIC = "https://parley.example";
const OTHERS = "https://crm.example/texts";
const [OWN, TAKEN] = ["+12125550100", "+13035550101"];

test("a Twilio account is connected, checked, given new credentials and removed", {
  skip: withoutBrowser,
}, async (t) => {
  const twilio = await startTwilio(t);
  twilio.addNumber(OWN);
  twilio.addNumber(TAKEN, { sms_url: OTHERS });
  const service = await startConsole(t, {
    env: {
      PARLEY_PUBLIC_URL: PUBLIC,
      PARLEY_CARRIER_HOSTS: JSON.stringify({ "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url }),
    },
  });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const { step } = stepsOf(t);
  const webhookOf = (phone: string) => twilio.numbers.find((number) => number.phone_number === phone)!.sms_url;
  const section = (name: string) => page.getByRole("region", { name });

  await step("in the simulator there are none, and one action leads to live mode", async () => {
    await page.getByRole("navigation").getByRole("link", { name: "Carriers" }).click();
    await page.getByText("Carriers are for live mode").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-simulator"), []);
    await page.getByRole("button", { name: "Go live", exact: true }).click();
    await page.getByText("No carrier yet").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-none"), []);
  });

  await step("by keyboard: what is wrong with a value is said at it", async () => {
    await page.getByRole("link", { name: "Connect a carrier" }).first().click();
    await page.getByRole("radio", { name: "Twilio" }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Account SID").fill("AC123");
    await page.getByLabel("Auth token").fill(AUTH_TOKEN);
    assert.deepEqual(await wrongWith(page, "carriers-twilio"), []);
    await page.keyboard.press("Enter");
    await page.getByLabel("Account SID").and(page.locator("[aria-invalid=true]:focus")).waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/carriers"]);
  });

  await step("what would change is shown, and nothing is changed", async () => {
    await page.getByLabel("Account SID").fill(ACCOUNT_SID);
    await page.getByRole("button", { name: "See what will change" }).click();
    await section("Changes").getByText(OTHERS).waitFor();
    await section("Changes").getByText("(stays as it is)").waitFor();
    await section("Numbers").getByText("Texts, pictures, and calls").first().waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-preview"), []);
    assert.deepEqual([webhookOf(OWN), webhookOf(TAKEN)], ["", OTHERS]);
  });

  await step("it is connected: its numbers are here, and somebody else's webhook is left alone", async () => {
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("2 numbers are here now.").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-connected"), []);
    assert.match(String(webhookOf(OWN)), /^https:\/\/parley\.example\/carrier\/.+\/sms$/);
    assert.equal(webhookOf(TAKEN), OTHERS);
    await page.getByRole("link", { name: "Open the account" }).click();
    await page.getByRole("dialog", { name: "Twilio" }).getByText("Connected", { exact: true }).waitFor();
  });

  await step("the check says what is left to do, and it is done", async () => {
    const drawer = page.getByRole("dialog", { name: "Twilio" });
    await drawer.getByRole("button", { name: "Check now" }).click();
    const webhooks = drawer.getByRole("listitem").filter({ hasText: "Webhooks" });
    await webhooks.getByText(/\+13035550101 points to/).waitFor();
    await webhooks.getByText(/What to do: Connect the account/).waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-checked"), []);
    await drawer.getByRole("link", { name: "Connect again" }).click();
    await page.getByLabel("Also replace what points to somebody else's address").check();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("2 numbers are here now.").waitFor();
    assert.match(String(webhookOf(TAKEN)), /^https:\/\/parley\.example\/carrier\/.+\/sms$/);
  });

  await step("credentials that the carrier refuses are not taken", async () => {
    await page.getByRole("link", { name: "Open the account" }).click();
    await page.getByRole("button", { name: "Change the credentials" }).click();
    const form = page.getByRole("dialog", { name: "Change the credentials of Twilio" });
    await form.getByLabel("Account SID").fill(ACCOUNT_SID);
    await form.getByLabel("Auth token").fill("f".repeat(32));
    await form.getByRole("button", { name: "Change", exact: true }).click();
    await form.getByRole("alert").waitFor();
    assert.deepEqual(await wrongWith(page, "carriers-rotate"), []);
    assert.equal(wrong.length, 1);
    assert.match(wrong.splice(0)[0]!, /^4\d\d: POST \/v1\/carriers\/[^/]+\/rotate$/);
    await form.getByLabel("Auth token").fill(AUTH_TOKEN);
    await form.getByRole("button", { name: "Change", exact: true }).click();
    await form.waitFor({ state: "detached" });
  });

  await step("it is removed, and said to be gone", async () => {
    await page.getByRole("dialog", { name: "Twilio" }).getByRole("button", { name: "Remove" }).click();
    await page
      .getByRole("dialog", { name: "Remove Twilio?" })
      .getByRole("button", { name: "Remove", exact: true })
      .click();
    await page.getByText("No carrier yet").waitFor();
    assert.deepEqual(wrong, []);
  });
});
