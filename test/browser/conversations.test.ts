import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type Owner, ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  picture,
  settle,
  setUpThere,
  TELEPHONE,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, handsetPath, quiet, says, textsTo, threadPath } from "#test/support/messaging/handset.ts";
import { type ConsoleProcess, startConsole } from "#test/support/processes/console-process.ts";
import { until } from "#test/support/time/until.ts";

/** Delivers and says nothing of itself. */
const ANN = "+12125550199";
/** Says STOP to its first text. */
const STOPS = "+12125550123";
const BO = "+12125550198";
const START = "Hi Ann, this is Ava of Acme. Do you have a minute?";

async function seed(page: Page, api: ConsoleProcess): Promise<{ campaignId: string; owner: Owner }> {
  const owner = await ownerOf(page);
  await aNoon(api);
  const agent = await api.post("/v1/agents", {
    ...owner,
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "Find out whether the contact wants to buy a home.",
    starting_message: "Hi {{first_name}}, this is Ava of Acme. Do you have a minute?",
    drip_schedule: [{ day: 2, message: "Hi {{first_name}}, did you see my text?" }],
    extraction_fields: ["email", "budget"],
    reply_delay_ms: 0,
  });
  assert.equal(agent.status, 201, JSON.stringify(agent.body));
  const campaign = await api.post("/v1/campaigns", {
    ...owner,
    campaign_name: "Spring",
    sms_agent_id: agent.body.agent_id,
    svc_sms_number: SENDER,
    contacts: [
      { phone_number: ANN, first_name: "Ann", last_name: "Lee" },
      { phone_number: BO, first_name: "Bo" },
      { phone_number: STOPS, first_name: "Cy" },
    ],
  });
  assert.equal(campaign.status, 202, JSON.stringify(campaign.body));
  return { campaignId: campaign.body.campaign_id, owner };
}

test("phones of the simulator and the conversations with them", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api,worker,media" });
  const browser = await openBrowser(t);
  const first = await openPage(browser, service.url);
  await setUpThere(first.page, service.setupLink);
  const { page, wrong } = first;
  let campaignId = "";
  let owner: Owner | undefined;

  await t.test("an empty table takes a phone: one with a script, and any number", async () => {
    await page.goto("/console/simulator");
    await page.getByText("No phones yet").waitFor();
    ({ campaignId, owner } = await seed(page, service));
    await gets(service, ANN, 1);
    await page.getByRole("button", { name: "Add a phone" }).click();
    await page.getByRole("button", { name: /Says STOP/ }).waitFor();
    assert.deepEqual(await wrongWith(page, "simulator-add"), []);
    await page.getByRole("button", { name: /Says STOP/ }).click();
    await page.getByRole("region", { name: "Phone (212) 555-0123" }).waitFor();
    await page.getByRole("button", { name: "Add a phone" }).click();
    await page.getByRole("tab", { name: "In use" }).click();
    await page.getByRole("button", { name: /555-0198/ }).waitFor();
    await page.getByRole("tab", { name: "Any number" }).click();
    await page.getByLabel("Phone number").fill("123");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText(/Ten digits/).waitFor();
    await page.getByLabel("Phone number").fill("(212) 555-0199");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.waitForURL(/phones=.*0199/);
  });

  const ann = page.getByRole("region", { name: "Phone (212) 555-0199" });
  await t.test("what arrived at a phone is there, and what it texts is answered before one's eyes", async () => {
    await ann.getByText(START).waitFor();
    await ann
      .getByRole("textbox", { name: "Text from (212) 555-0199", exact: true })
      .fill("Sure. My email is ann@example.com");
    await ann.getByRole("button", { name: "Send the text from (212) 555-0199" }).click();
    await ann.getByText("Sure. My email is ann@example.com").waitFor();
    await gets(service, ANN, 2);
    await ann.locator("[class*=bubble]").nth(2).waitFor();
    await page.getByRole("region", { name: "Phone (212) 555-0123" }).getByText("STOP", { exact: true }).waitFor();
    assert.deepEqual(await wrongWith(page, "simulator"), []);
  });

  await t.test("a phone without anyone to text says so at the field", async () => {
    await ann.getByLabel("Number that (212) 555-0199 texts or calls").fill("12");
    await ann.getByRole("textbox", { name: "Text from (212) 555-0199", exact: true }).fill("Hello?");
    await ann.getByRole("button", { name: "Send the text from (212) 555-0199" }).click();
    await ann.locator(".mantine-Input-error, .mantine-Autocomplete-error").first().waitFor();
    assert.equal(await page.getByText("That did not work").count(), 0, "it is said twice");
    assert.deepEqual(wrong.splice(0), [`400: POST /v1/simulator/handsets/${ANN.replace("+", "%2B")}/messages`]);
  });

  await t.test("time is skipped, and what is due by then happens", async () => {
    await page.getByRole("button", { name: "+ 1 hour" }).click();
    await page.getByText("Skipped 1 hour.").waitFor();
    await page.getByRole("button", { name: "+ 1 week" }).click();
    await page.getByText("It cannot be taken back.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
  });

  await t.test("a phone is given a behavior", async () => {
    await ann.getByRole("button", { name: "More about (212) 555-0199" }).click();
    await page.getByRole("menuitem", { name: "What it does" }).click();
    await page.getByLabel("What it says").fill("Okay\nBye");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/Saved. It holds/).waitFor();
    await picture(page, "simulator-behavior");
    await page.getByRole("button", { name: "Cancel" }).click();
    await service.put(handsetPath(ANN), {});
  });

  await t.test("a call rings on a phone, is answered and spoken to, and ended", async () => {
    await ann.getByRole("button", { name: "More about (212) 555-0199" }).click();
    await page.getByRole("menuitem", { name: "Take its calls yourself" }).click();
    await ann.getByText("You take its calls").waitFor();
    const voice = await service.post("/v1/agents", {
      ...owner,
      agent_type: "voice",
      agent_name: "Vera",
      prompt: "Ask when they want to move.",
      // A call that is played by hand takes as long as its words: few of them, and no disclosure of a recording.
      starting_message: "Hi.",
      record: false,
      voice_id: "11labs-Adrian",
    });
    const placed = await service.post("/v1/voice/calls", {
      agent_id: voice.body.agent_id,
      from_number: SENDER,
      to_number: ANN,
    });
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    await ann.getByRole("button", { name: "Answer", exact: true }).click();
    await ann.getByLabel("What you say in the call").fill("Who is it?");
    await ann.getByRole("button", { name: "Say it" }).click();
    await ann.getByText("You: Who is it?").waitFor();
    assert.deepEqual(await wrongWith(page, "simulator-call"), []);
    await ann.getByRole("button", { name: "Hang up" }).click();
    await ann.getByText(/^Answered, /).waitFor();
    await service.put(handsetPath(ANN), {});
  });

  await t.test("conversations are listed and one is read, with what was found out and the words for it", async () => {
    await quiet(service);
    await page.goto("/console/conversations");
    const list = page.getByRole("region", { name: "Conversations" });
    await list.getByText("Ann Lee").waitFor();
    await list.getByText("Opted out").first().waitFor();
    const row = list.getByRole("link", { name: /Ann Lee/ });
    await row.getByRole("img", { name: "Unread" }).waitFor();
    await list.getByText("Ann Lee").click();
    await row.getByRole("img", { name: "Unread" }).waitFor({ state: "detached" });
    await page.getByRole("log", { name: "Messages" }).getByText("ann@example.com").waitFor();
    await page.getByRole("region", { name: "Findings" }).getByText("ann@example.com", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Show the message" }).first().click();
    await page.locator("[data-marked]").waitFor();
    await page.getByRole("button", { name: "Why this?" }).first().click();
    await page.getByText("Find out whether the contact wants to buy a home.").waitFor();
    assert.deepEqual(await wrongWith(page, "conversation-inspector"), []);
    await page.keyboard.press("Escape");
  });

  await t.test("a person takes over, writes, and hands back; what comes in shows by itself", async () => {
    const unsent = () =>
      page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('parley-draft-conversation-')).length");
    await page.getByLabel("Your text").fill("Uma here: shall I call you?");
    await page.reload();
    assert.equal(await page.getByLabel("Your text").inputValue(), "Uma here: shall I call you?", "lost on a reload");
    await page.getByLabel("Your text").press("Enter");
    await page.getByRole("log", { name: "Messages" }).getByText("Uma here: shall I call you?").waitFor();
    await page.getByText("You have the conversation.").waitFor();
    await until("the draft is forgotten", async () => (await unsent()) === 0);
    await gets(service, ANN, 3);
    await says(service, ANN, "Yes please, Uma");
    await page.getByRole("log", { name: "Messages" }).getByText("Yes please, Uma").waitFor();
    const list = page.getByRole("region", { name: "Conversations" });
    await list.getByText("Needs a person").waitFor();
    await list.getByText(/^Not answered yet/).waitFor();
    await page.getByText("Need a person", { exact: true }).click();
    await page.waitForURL(/attention=needs_person/);
    await list.getByText("Ann Lee").waitFor();
    assert.deepEqual(await wrongWith(page, "conversation"), []);
    await page.getByRole("switch", { name: "Agent" }).click({ force: true });
    await page.getByText("None like that").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await gets(service, ANN, 4);
  });

  await t.test("a conversation is assigned, noted in, and left as unread for later", async () => {
    const list = page.getByRole("region", { name: "Conversations" });
    const log = page.getByRole("log", { name: "Messages" });
    await page.getByRole("button", { name: "Assign", exact: true }).click();
    await page.getByRole("menuitem", { name: "Me" }).click();
    await log.getByText(/assigned this to/).waitFor();
    await list.getByText("Mine", { exact: true }).waitFor();
    const before = (await textsTo(service, ANN)).length;
    await page.getByText("Note", { exact: true }).click();
    await page.getByLabel("Your note").fill("She prefers mornings");
    await page.keyboard.press("Enter");
    await log.getByText("She prefers mornings").waitFor();
    await log.getByText(/^Note by /).waitFor();
    assert.deepEqual(await wrongWith(page, "conversation-note"), []);
    await quiet(service);
    assert.equal((await textsTo(service, ANN)).length, before, "a note is no text");
    await page.getByRole("combobox", { name: "Assigned to" }).click();
    await page.getByRole("option", { name: "Unassigned" }).click();
    await page.waitForURL(/assignee=none/);
    await list.getByText("Ann Lee").waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "Assigned to" }).click();
    await page.getByRole("option", { name: "Mine" }).click();
    await list.getByText("Ann Lee").waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Mark as unread" }).click();
    await list.getByRole("img", { name: "Unread" }).waitFor();
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await list.getByRole("img", { name: "Unread" }).first().waitFor({ state: "detached" });
    await page.goto(`/console/conversations/${encodeURIComponent(`${ANN}_${campaignId}`)}`);
  });

  await t.test("one is found by number although it was never answered, by name, and by words of a text", async () => {
    const search = page.getByLabel("Search by name, number or words");
    await search.fill("212 555 0198");
    const list = page.getByRole("region", { name: "Conversations" });
    await list.getByText("Bo", { exact: true }).click();
    await page.getByRole("heading", { name: "Bo", level: 2 }).waitFor();
    await page.getByText("Still to come: 1").click();
    await page.getByText(/^Follow-up, /).waitFor();
    await search.fill("lee");
    await list.getByText("Ann Lee").waitFor();
    await search.fill("please, uma");
    await list.getByText("“Yes please, Uma”").waitFor();
    await search.fill("nobody");
    await list.getByText("None like that").waitFor();
    await search.fill("");
    await list.getByText("Ann Lee").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search pages").fill("please, uma");
    await page.getByRole("dialog").getByText("“Yes please, Uma”").click();
    await page.getByRole("heading", { name: "Ann Lee", level: 2 }).waitFor();
    // It opens at the text, not at its end, and shows the words.
    await page.locator("[data-marked] mark").getByText("please, Uma", { exact: true }).waitFor();
    assert.deepEqual(await wrongWith(page, "conversation-found"), []);
    await search.fill("");
    await page.locator("[data-marked]").waitFor({ state: "detached" });
  });

  await t.test("a contact is never to be contacted again, with the reason", async () => {
    await page.goto(`/console/conversations/${encodeURIComponent(`${BO}_${campaignId}`)}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Never contact again" }).click();
    await page.getByLabel("Why").fill("Asked us by e-mail");
    await page.getByRole("dialog").getByRole("button", { name: "Never contact again" }).click();
    await page.getByRole("region", { name: "May we text" }).getByText(/^No/).waitFor();
    assert.deepEqual(wrong, []);
  });

  const state = await page.context().storageState();
  const onePath = `/console/conversations/${encodeURIComponent(`${ANN}_${campaignId}`)}`;

  await t.test("on a telephone the list, the conversation and what is known are one behind the other", async () => {
    const seen = await openPage(browser, service.url, TELEPHONE, state);
    await seen.page.goto(onePath);
    await seen.page.getByRole("button", { name: "Contact and findings" }).click();
    await seen.page.getByRole("region", { name: "Findings" }).waitFor();
    await settle(seen.page);
    await picture(seen.page, "conversations-about");
    await seen.page.getByRole("button", { name: "Back to the conversation" }).click();
    await seen.page.getByRole("link", { name: "Back to the list" }).click();
    await seen.page.getByText("Ann Lee").first().waitFor();
    assert.deepEqual(seen.wrong, []);
    await seen.page.context().close();
  });

  await t.test("an unknown conversation is said to be none", async () => {
    const lost = await openPage(browser, service.url, undefined, state);
    await lost.page.goto(
      `/console${threadPath("+12125550177", campaignId).replace("/v1/sms/threads", "/conversations")}`,
    );
    await lost.page.getByText("This could not be loaded").waitFor();
    assert.ok(lost.wrong.splice(0).every((problem) => problem.startsWith("404: GET /v1/sms/")));
    await lost.page.context().close();
  });
});
