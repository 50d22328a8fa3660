import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { CAMPAIGN_PHONES, numberOf, soundOf, startPhone } from "#test/peers/campaign-phones.ts";
import { knownSentences } from "#test/peers/known-sentences.ts";
import { freePort, missing } from "#test/peers/programs.ts";
import {
  openBrowser,
  openPage,
  settle,
  setUpThere,
  withoutBrowser,
  wrongInBothSchemes,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startMediaHost } from "#test/support/carriers/media-host.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { startConsole } from "#test/support/processes/console-process.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { until } from "#test/support/time/until.ts";

const [SENDER, CONTACT] = ["+12125550100", "+12124440001"];
const FIRST_TEXT = "Hi Ann, this is Ava of Acme Homes. Do you have a minute? Reply STOP to opt out.";
const REPLY = "Yes, tell me more";

const CALLER = "+12125550177";
const GREETING = "Hello, this is Vera of Acme Homes. Are you thinking of selling your home this year?";
/** Of what the contact sends: a corner of this page, which is as good as a roof. */
const PICTURE = { width: 240, height: 160 };
/** Takes the call, and wants nothing. */
const TELEPHONE = CAMPAIGN_PHONES.find(({ does }) => does === "rings for 3 s, says no")!;
/** The telephone of the walk's last part; in CI it is there. */
const withoutTelephone = missing("baresip");

async function go(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

/** Both schemes at a desktop's width, and a telephone's. */
async function look(page: Page, name: string): Promise<string[]> {
  await settle(page);
  const found = await wrongInBothSchemes(page, name);
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("html[data-mantine-color-scheme=light]").waitFor({ state: "attached" });
  return [...found, ...(await wrongWith(page, name))];
}

test("from nothing to a text at a real carrier, its reply, and a call over a trunk, in the console alone", {
  skip: withoutBrowser,
}, async (t) => {
  const twilio = await startTwilio(t);
  twilio.addNumber(SENDER);
  const host = await startMediaHost(t);
  const port = await aFreePort();
  const said = soundOf(TELEPHONE);
  const speechToTextUrl = await knownSentences(t, [said]);
  const sipPort = await freePort();
  const service = await startConsole(t, {
    roles: "api,worker,media",
    env: {
      // The trunk's telephone is on this machine, and speech-to-text knows what it says.
      PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.0/8",
      PARLEY_SIP_PORT: String(sipPort),
      PARLEY_RTP_PORTS: "31000-32700",
      PARLEY_SPEECH_TO_TEXT_PROVIDER: "openai",
      PARLEY_OPENAI_SPEECH_BASE_URL: speechToTextUrl,
      PARLEY_SPEECH_FIRST_TIMEOUT_MS: "20000",
      PORT: String(port),
      PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}`,
      PARLEY_CARRIER_HOSTS: JSON.stringify({
        ...{ "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url },
        "mms.twiliocdn.com": host.url,
      }),
      PARLEY_FIRST_HOUR_TEXTS: "500",
      // Whatever the hour and the day, it is a working noon.
      PARLEY_LIVE_CLOCK: "moved",
    },
  });
  const sql = await openClient(t, service.databaseUrl);
  const noon = workingNoon(new Date());
  await sql.query("update tenants set clock_offset_ms = $1 where mode = 'live'", [noon.getTime() - Date.now()]);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  const { step } = stepsOf(t);
  const begun = performance.now();
  const minutes = () => ((performance.now() - begun) / 60_000).toFixed(1);
  const toDo = page.getByRole("region", { name: "To do" });
  const ready = page.getByRole("region", { name: "Ready" });

  await step("in the simulator there is nothing to check, and one action leads to live mode", async () => {
    await setUpThere(page, service.setupLink);
    await go(page, "Going live");
    await page.getByText("Going live is for live mode").waitFor();
    assert.deepEqual(await wrongWith(page, "live-walk-simulator"), []);
    await page.getByRole("button", { name: "Go live", exact: true }).click();
    await toDo.getByText("No carrier is connected: no text reaches a phone.").waitFor();
    await toDo.getByText("There is no limit to what a day may cost.").waitFor();
    assert.deepEqual(await look(page, "live-walk-nothing"), []);
  });

  await step("an account is connected from there, and checked", async () => {
    await toDo.getByRole("link", { name: "Open carriers" }).click();
    await page.getByRole("link", { name: "Connect a carrier" }).first().click();
    await page.getByRole("radio", { name: "Twilio" }).click();
    await page.getByLabel("Account SID").fill(ACCOUNT_SID);
    await page.getByLabel("Auth token").fill(AUTH_TOKEN);
    await page.getByRole("button", { name: "See what will change" }).click();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("1 number is here now.").waitFor();
    await page.getByRole("link", { name: "Open the account" }).click();
    const drawer = page.getByRole("dialog", { name: "Twilio" });
    await drawer.getByRole("button", { name: "Check now" }).click();
    await drawer.getByRole("listitem").filter({ hasText: "Webhooks" }).getByLabel("Fine").waitFor();
    await page.keyboard.press("Escape");
  });

  await step("a spend limit is set, and what is left to do is named", async () => {
    await go(page, "Going live");
    await ready.getByText(/^Twilio is connected: 1 number/).waitFor();
    const form = page.getByRole("region", { name: "Spend limit" });
    await form.getByLabel("US dollars a day").fill("25");
    await form.getByRole("button", { name: "Save the limit" }).click();
    await form.getByText("Spent today: $0.00 of $25.00.").waitFor();
    await ready.getByText(/^\$25\.00 a day of America\/New_York/).waitFor();
    await ready.getByText(/500 campaign texts in its first hour: 50 at once/).waitFor();
    await ready.getByText(/came back to this service/).waitFor();
    // Of a machine without a public address, in a test that moves the clock, without a national list.
    const left = await toDo.getByRole("listitem").locator("p:first-child").allTextContents();
    assert.deepEqual(left, ["Public address", "Quiet hours", "Do not call"]);
    assert.deepEqual(await look(page, "live-walk-checked"), []);
  });

  await step("an agent is made", async () => {
    await go(page, "Agents");
    await page.getByRole("link", { name: "New agent" }).first().click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ava");
    await page.getByLabel("Instructions").fill("You are Ava of Acme Homes. Find out whether the contact wants to buy.");
    await page.getByLabel("First text").fill(FIRST_TEXT.replace("Ann", "{{first_name}}"));
    await page.getByRole("button", { name: "Advanced settings" }).click();
    await page.getByLabel("Waits before it answers").fill("0");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Ava", level: 1 }).waitFor();
  });

  await step("a campaign to pasted contacts is checked, which says the first hour, and launched", async () => {
    await go(page, "SMS campaigns");
    await page.getByRole("link", { name: "New SMS campaign" }).first().click();
    await page.getByLabel("Name").fill("Open house");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Ava" }).click();
    await page.getByRole("combobox", { name: "Sender" }).click();
    await page.getByRole("option", { name: "(212) 555-0100" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Pasted contacts").click();
    await page.getByLabel("Contacts", { exact: true }).fill(`phone,first name\n${CONTACT},Ann`);
    await page.getByRole("button", { name: "Next" }).click();
    // A second click before the next step is shown is one on the step before.
    await page.getByText("As soon as it is launched").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText(FIRST_TEXT).waitFor();
    await page.getByText(/at most 500 campaign texts in its first hour/).waitFor();
    assert.deepEqual(await look(page, "live-walk-preflight"), []);
    await page.getByRole("button", { name: "Text 1 person" }).click();
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByRole("heading", { name: "Open house", level: 1 }).waitFor();
  });

  await step("the text is at the carrier, once, and its report is shown", async () => {
    await until("the text is at the carrier", async () => twilio.messages.length === 1);
    const [text] = twilio.messages;
    assert.deepEqual([text!.to, text!.from, text!.body], [CONTACT, SENDER, FIRST_TEXT]);
    assert.equal((await twilio.report(text!, "delivered")).status, 200);
    await page.getByRole("heading", { name: "1 of 1 contacts processed" }).waitFor();
    await page.getByRole("button", { name: "No reply yet 1", exact: true }).waitFor();
  });

  await step("the reply is in the console, with the agent's answer", async () => {
    const reply = await twilio.webhook(String(twilio.numbers[0]!.sms_url), {
      ...{ AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", From: CONTACT, To: SENDER, Body: REPLY },
      ...{ MessageSid: `SM${"c".repeat(32)}`, SmsSid: `SM${"c".repeat(32)}`, NumMedia: "0", NumSegments: "1" },
    });
    assert.equal(reply.status, 200);
    await go(page, "Conversations");
    await page.getByRole("region", { name: "Conversations" }).getByText("Ann").first().click();
    const messages = page.getByRole("log", { name: "Messages" });
    await messages.getByText(REPLY).waitFor();
    await until("the agent has answered", async () => twilio.messages.length === 2);
    await messages.getByText(String(twilio.messages[1]!.body)).waitFor();
    t.diagnostic(`from the setup link to the answer in ${minutes()} minutes`);
    assert.deepEqual(await look(page, "live-walk-conversation"), []);
    assert.deepEqual(wrong, []);
  });

  await step("a picture from the contact is shown, and one goes out by its address", async () => {
    const clip = { x: 0, y: 0, ...PICTURE };
    host.files.set("/roof.png", { type: "image/png", bytes: await page.screenshot({ clip }) });
    const media = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT_SID}/Messages/MM1/Media/roof.png`;
    const came = await twilio.webhook(String(twilio.numbers[0]!.sms_url), {
      ...{ AccountSid: ACCOUNT_SID, ApiVersion: "2010-04-01", From: CONTACT, To: SENDER, Body: "" },
      ...{ MessageSid: `MM${"d".repeat(32)}`, SmsSid: `MM${"d".repeat(32)}`, NumMedia: "1", NumSegments: "1" },
      ...{ MediaUrl0: media, MediaContentType0: "image/png" },
    });
    assert.equal(came.status, 200);
    const messages = page.getByRole("log", { name: "Messages" });
    await messages.getByRole("button", { name: "Open Picture 1 from the contact" }).waitFor();
    await page.getByRole("button", { name: "Attach a picture" }).click();
    await page.getByLabel("Address of picture 1").fill("http://cdn.example.com/plan.png");
    await page.getByLabel("Your text").fill("Here is the plan.");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("alert").getByText("must be addresses that begin with https://").waitFor();
    assert.equal(wrong.length, 1);
    wrong.splice(0);
    await page.getByLabel("Address of picture 1").fill("https://cdn.example.com/plan.png");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await messages.getByRole("link", { name: "Picture: https://cdn.example.com/plan.png" }).waitFor();
    const plans = () => twilio.messages.filter(({ body }) => body === "Here is the plan.");
    await until("it is at the carrier", async () => plans().length > 0);
    assert.deepEqual(
      plans().map(({ mediaUrls }) => mediaUrls),
      [["https://cdn.example.com/plan.png"]],
    );
    assert.deepEqual(await look(page, "live-walk-pictures"), []);
  });

  if (withoutTelephone) {
    t.diagnostic(`no call: ${withoutTelephone}`);
    await t.test("a call over a trunk", { skip: withoutTelephone });
    return;
  }

  await step("a SIP trunk is connected, with its number", async () => {
    const telephone = await startPhone(t, TELEPHONE, said.samples);
    await go(page, "Carriers");
    await page.getByRole("link", { name: "Connect a carrier" }).first().click();
    await page.getByRole("radio", { name: "SIP trunk" }).click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Office line");
    await page.getByLabel("Host").fill("127.0.0.1");
    await page.getByRole("textbox", { name: "Port", exact: true }).fill(String(telephone.port));
    await page.getByLabel("Your numbers").fill(CALLER);
    assert.deepEqual(await look(page, "live-walk-trunk"), []);
    await page.getByRole("button", { name: "See what will change" }).click();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("1 number is here now.").waitFor();
  });

  await step("an agent that calls is made", async () => {
    await go(page, "Agents");
    await page.getByRole("link", { name: "New agent" }).first().click();
    await page.getByRole("radiogroup", { name: "Kind of agent" }).getByText("Calls").click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Vera");
    await page
      .getByLabel("Instructions")
      .fill("You are Vera of Acme Homes. Find out whether the contact wants to sell.");
    await page.getByLabel("First words").fill(GREETING);
    await page.getByRole("combobox", { name: "Voice", exact: true }).fill("slt");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Vera", level: 1 }).waitFor();
  });

  await step("a voice campaign to one telephone is checked and launched", async () => {
    await go(page, "Voice campaigns");
    await page.getByRole("link", { name: "New voice campaign" }).first().click();
    await page.getByLabel("Name").fill("Owners");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: "Vera" }).click();
    await page.getByRole("combobox", { name: "Numbers" }).click();
    await page.getByRole("option", { name: "(212) 555-0177" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Audience" }).click();
    await page.getByText("Pasted contacts").click();
    await page.getByLabel("Contacts", { exact: true }).fill(`phone,first name\n${numberOf(TELEPHONE)},Bea`);
    await page.getByRole("button", { name: "Check and launch" }).click();
    await page.getByText("Will be called").waitFor();
    assert.deepEqual(await look(page, "live-walk-call-preflight"), []);
    await page.getByRole("button", { name: "Call 1 person" }).click();
    await page.getByRole("button", { name: "Launch", exact: true }).click();
    await page.getByRole("heading", { name: "Owners", level: 1 }).waitFor();
  });

  await step("the telephone takes the call, and what both said is shown", async () => {
    await page.getByRole("tab", { name: "Calls" }).click();
    const calls = page.getByRole("grid", { name: "Calls" });
    await calls.getByText("Bea", { exact: true }).first().click();
    await page.getByRole("heading", { name: "Call to Bea", level: 1 }).waitFor();
    const transcript = page.getByRole("region", { name: "Transcript" });
    await transcript.getByText("this is Vera of Acme Homes").first().waitFor();
    await transcript.getByText("No thank you").first().waitFor();
    t.diagnostic(`from the setup link to the words of the call in ${minutes()} minutes`);
    assert.deepEqual(await look(page, "live-walk-call"), []);
    assert.deepEqual(wrong, []);
  });
});
