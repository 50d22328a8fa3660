import assert from "node:assert/strict";
import { createReadStream, statSync } from "node:fs";
import { test } from "node:test";
import { verifyEvidence } from "#operations/contacts/verify-evidence.ts";
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
import { says } from "#test/support/messaging/handset.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const CONTACTS = [
  { phone_number: "+12125550101", first_name: "Ann", last_name: "Smith", city: "Reno", state: "NV", score: 7 },
  { phone_number: "+12125550102", first_name: "Bo", last_name: "Annan" },
  { phone_number: "+13035550103", last_name: "Jones" },
];

test("contacts are found, looked at, changed and erased", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  const grid = page.getByRole("grid", { name: "Contacts" });

  await t.test("without any the page leads to the import", async () => {
    await page.goto("/console/contacts");
    await page.getByText("No contacts yet").waitFor();
    assert.deepEqual(await violations(page), []);
  });

  await aNoon(service);
  const list = await service.post("/v1/contacts/lists", {
    ...owner,
    list_name: "Spring",
    contacts: CONTACTS.slice(0, 2),
  });
  assert.equal(list.status, 201);
  const agent = await service.post("/v1/agents", {
    ...owner,
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "Find out whether the contact wants to buy a home.",
    starting_message: "Hi, this is Ava. Do you have a minute?",
  });
  const campaign = await service.post("/v1/campaigns", {
    ...owner,
    campaign_name: "Spring sale",
    sms_agent_id: agent.body.agent_id,
    svc_sms_number: SENDER,
    contacts: CONTACTS,
  });
  assert.equal(campaign.status, 202, JSON.stringify(campaign.body));
  const opted = async () =>
    (await service.get(`/v1/contacts/leads?organization_id=${owner.organization_id}&opted_out=true`)).body.count === 1;
  await until("the first text has come", async () => {
    const { body } = await service.get(`/v1/contacts/leads/${list.body.leads[0].unique_id}/timeline`);
    return body.entries.some((entry: { state: string }) => entry.state === "delivered");
  });
  await says(service, "+12125550101", "STOP");
  await until("she is opted out", opted);

  await t.test("by name, number, list and opt-out, with the filters in the URL", async () => {
    await page.goto("/console/contacts");
    await grid.getByText("Jones").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ann");
    await grid.getByText("Jones").waitFor({ state: "detached" });
    await grid.getByText("Bo Annan").waitFor();
    assert.match(page.url(), /search=ann/);
    await page
      .getByRole("combobox", { name: "Opted out" })
      .or(page.getByRole("textbox", { name: "Opted out" }))
      .click();
    await page.getByRole("option", { name: "Opted out", exact: true }).click();
    await grid.getByText("Bo Annan").waitFor({ state: "detached" });
    await grid.getByText("Ann Smith").waitFor();
  });

  await t.test("a contact shows every text, why nothing may go out, and its consent", async () => {
    await grid.getByText("Ann Smith").click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("STOP", { exact: true }).waitFor();
    await drawer.getByText("Hi, this is Ava. Do you have a minute?").waitFor();
    await drawer.getByText("Text: never").waitFor();
    await drawer.getByText("The contact has opted out").first().waitFor();
    // The simulator's clock is ahead, and what has happened is not to come.
    await drawer.locator("time", { hasText: /^in / }).first().waitFor({ state: "detached" });
    assert.deepEqual(await wrongWith(page, "contact-timeline"), []);
    await drawer.getByRole("tab", { name: "Consent" }).click();
    await drawer.getByText("Texted STOP or the like").first().waitFor();
    assert.deepEqual(await wrongWith(page, "contact-consent"), []);
  });

  await t.test("its evidence is downloaded, and is as it was made", async () => {
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("tab", { name: "Evidence" }).click();
    await drawer.getByRole("checkbox", { name: "With the recordings of calls" }).check();
    assert.deepEqual(await wrongWith(page, "contact-evidence"), []);
    const download = page.waitForEvent("download");
    await drawer.getByRole("link", { name: "Download the evidence" }).click();
    const file = await (await download).path();
    const read = (start: number, end: number) => createReadStream(file, { start, end: end - 1 });
    const { fault, links } = await verifyEvidence({ size: statSync(file).size, read }, undefined);
    assert.deepEqual([fault, links > 0], [undefined, true]);
  });

  await t.test("fields are changed; what the service refuses is said at its field", async () => {
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Edit the contact" });
    await form.getByLabel("Phone number").fill("911");
    await form.getByLabel("City").fill("Elko");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("must not be an emergency or service number", { exact: true }).waitFor();
    assert.deepEqual(wrong.splice(0), [`400: PATCH /v1/contacts/leads/${list.body.leads[0].unique_id}`]);
    assert.deepEqual(await wrongWith(page, "contact-edit"), []);
    await form.getByLabel("Phone number").fill("+12125550101");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Fields" }).click();
    await page.getByRole("dialog").getByText("Elko").waitFor();
    const { body } = await service.get(`/v1/contacts/leads/${list.body.leads[0].unique_id}`);
    assert.deepEqual([body.lead.city, body.lead.score], ["Elko", 7]);
  });

  await t.test("one is erased once the word is typed", async () => {
    await page.getByRole("button", { name: "Erase" }).click();
    const form = page.getByRole("dialog", { name: "Erase Ann Smith?" });
    assert.equal(await form.getByRole("button", { name: "Erase for good" }).isDisabled(), true);
    await form.getByLabel("Type ERASE to continue").fill("erase");
    assert.deepEqual(await wrongWith(page, "contact-erase"), []);
    await form.getByRole("button", { name: "Erase for good" }).click();
    await page.getByText("No matching contacts").waitFor();
    assert.deepEqual(wrong, []);
  });

  await t.test("several are chosen by keyboard and tagged, and the tag is taken back", async () => {
    await page.getByRole("button", { name: "Show all" }).click();
    await grid.getByText("Jones").waitFor();
    for (const [at, chosen] of ["1 contact chosen", "2 contacts chosen"].entries()) {
      await page.keyboard.press("j");
      await page.locator(`[data-row="${at}"]:focus`).waitFor();
      await page.keyboard.press("x");
      await page.getByText(chosen).waitFor();
    }
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Add a tag" }).click();
    const form = page.getByRole("dialog", { name: "Tag 2 contacts" });
    assert.deepEqual(await wrongWith(page, "contacts-tag"), []);
    await form.getByLabel("Tag").fill("Open house");
    await form.getByRole("button", { name: "Add the tag" }).click();
    await page.getByText("2 contacts tagged.").waitFor();
    // Its button is gone with the choice: the keyboard goes on beside it.
    await page.getByRole("checkbox", { name: "Choose all shown" }).and(page.locator(":focus")).waitFor();
    await grid.getByText("Open house").first().waitFor();
    assert.deepEqual(await wrongWith(page, "contacts-tagged"), []);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    await grid.getByText("Open house").first().waitFor({ state: "detached" });
  });

  await t.test("chosen contacts go on a new list, and are unsubscribed", async () => {
    await page.getByRole("checkbox", { name: "Choose all shown" }).check();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Add to a list" }).click();
    const form = page.getByRole("dialog", { name: "Add 2 contacts to a list" });
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Actions" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Add to a list" }).click();
    await form
      .getByRole("combobox", { name: "List" })
      .or(form.getByRole("textbox", { name: "List" }))
      .click();
    await page.getByRole("option", { name: "New list" }).click();
    await form.getByLabel("Name of the new list").fill("Autumn");
    await form.getByRole("button", { name: "Add to the list" }).click();
    await page.getByText("2 contacts added to the list.").waitFor();
    await page.getByRole("checkbox", { name: "Choose Bo Annan" }).check();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Unsubscribe" }).click();
    const asked = page.getByRole("dialog", { name: "Unsubscribe 1 contact?" });
    await asked.getByRole("button", { name: "Unsubscribe" }).click();
    await page.getByText("1 contact unsubscribed.").waitFor();
    await grid.getByText("Opted out").waitFor();
  });

  await t.test("many are erased once their number is typed", async () => {
    await page.getByRole("checkbox", { name: "Choose all shown" }).check();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Erase" }).click();
    const form = page.getByRole("dialog", { name: "Erase 2 contacts?" });
    assert.equal(await form.getByRole("button", { name: "Erase for good" }).isDisabled(), true);
    await form.getByLabel("Type ERASE 2 to continue").fill("erase 2");
    assert.deepEqual(await wrongWith(page, "contacts-erase"), []);
    await form.getByRole("button", { name: "Erase for good" }).click();
    await page.getByText("No contacts yet").waitFor();
    assert.deepEqual(wrong, []);
  });
});
