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

test("agents are made, previewed, changed and put back", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api" });
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  const list = await service.post("/v1/contacts/lists", {
    ...owner,
    list_name: "Buyers",
    contacts: [
      { phone_number: "+12125550101", first_name: "Ada", last_name: "Lee", loan_type: "fixed" },
      { phone_number: "+12125550102", first_name: "Bo", company_name: "Bo Ltd" },
    ],
  });
  assert.equal(list.status, 201, JSON.stringify(list.body));
  const preview = page.getByRole("region", { name: "Preview" });
  const firstText = page.getByLabel("First text");

  await t.test("an empty list says what an agent is, and leads to a new one", async () => {
    await page.goto("/console/agents");
    await page.getByText("No agent yet").waitFor();
    await picture(page, "agents-empty");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("link", { name: "New agent" }).first().click();
    await page.getByRole("heading", { name: "New agent" }).waitFor();
  });

  await t.test("what is missing is said at its field", async () => {
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("region", { name: "Save" }).getByRole("alert").waitFor();
    assert.match(
      await page.getByRole("textbox", { name: "Name", exact: true }).getAttribute("aria-invalid").then(String),
      /true/,
    );
    // The refusal is what was asked for.
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/agents"]);
  });

  await t.test("{{ offers the fields of contacts, and what no contact has is warned of", async () => {
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ava");
    await page.getByLabel("Instructions").fill("You are Ava of Acme.\nFind out the budget.");
    await firstText.fill("Hi ");
    await firstText.press("End");
    await page.keyboard.type("{{last");
    await page.getByRole("option", { name: "last_name" }).waitFor();
    await picture(page, "agents-completion");
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Enter");
    await page.keyboard.type(", is your loan {{ loan_type }}? {{colour}}");
    assert.equal(await firstText.inputValue(), "Hi {{last_name}}, is your loan {{ loan_type }}? {{colour}}");
    await page.getByText("None of the newest contacts has a field called colour").waitFor();
    await firstText.fill("Hi {{first_name}}, is your loan {{loan_type}}?");
  });

  await t.test("the preview is of the contact that is chosen, follow-ups and all", async () => {
    await page.getByRole("button", { name: "Add a follow-up" }).click();
    await page.getByLabel("Text of follow-up 1").fill("Did you see my text, {{first_name}}?");
    await preview.getByLabel("For").click();
    await page.getByRole("option", { name: "Ada Lee" }).click();
    await preview.getByText("Hi Ada, is your loan fixed?").waitFor();
    await preview.getByText("2 days later").waitFor();
    await preview.getByText("Did you see my text, Ada?").waitFor();
    await preview.getByLabel("For").click();
    await page.getByRole("option", { name: "Bo" }).click();
    await preview.getByText("Not sent: this contact has no loan_type.").waitFor();
    await page.getByRole("button", { name: "Add a field" }).click();
    await page.getByRole("textbox", { name: "Field", exact: true }).fill("budget");
    await page.getByRole("button", { name: "Advanced settings" }).click();
    await page.getByLabel("Answers during working hours only").check();
    assert.deepEqual(await wrongWith(page, "agents-new"), []);
  });

  await t.test("what was filled in is still there after a reload, and is saved", async () => {
    await page.reload();
    await page.getByText("What you had filled in is still here.").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue(), "Ava");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Ava", level: 1 }).waitFor();
    const { agents } = (await service.get(`/v1/agents?organization_id=${owner.organization_id}`)).body;
    const { prompt, extraction_fields, drip_schedule, working_hours } = agents[0];
    assert.equal(prompt, "You are Ava of Acme.\nFind out the budget.");
    assert.deepEqual(extraction_fields, ["budget"]);
    assert.deepEqual(drip_schedule, [{ day: 2, message: "Did you see my text, {{first_name}}?" }]);
    assert.deepEqual(working_hours, { start: "09:00", end: "18:00", days: [1, 2, 3, 4, 5] });
  });

  await t.test("a change is a new version, whose lines are compared, and the old one is put back", async () => {
    await page.getByLabel("Instructions").fill("You are Ava of Acme.\nFind out the date.");
    await page.getByText("1 change, not saved.").waitFor();
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("Texts, version 2").waitFor();
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("grid", { name: "Versions" }).getByText("Instructions").click();
    const change = page.getByRole("region", { name: "Version 2", exact: true });
    await change.locator("del", { hasText: "Find out the budget." }).waitFor();
    await change.locator("ins", { hasText: "Find out the date." }).waitFor();
    assert.deepEqual(await wrongWith(page, "agents-versions"), []);
    await page.getByRole("grid", { name: "Versions" }).getByText("The first one").click();
    await page.getByRole("region", { name: "Version 1", exact: true }).getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("Texts, version 3").waitFor();
    await page.getByRole("tab", { name: "Builder" }).click();
    assert.equal(await page.getByLabel("Instructions").inputValue(), "You are Ava of Acme.\nFind out the budget.");
  });

  await t.test("an agent that calls has the fields of calls", async () => {
    await page.goto("/console/agents/new?type=voice");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Vera");
    await page.getByLabel("Instructions").fill("Call and ask.");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("region", { name: "Save" }).getByRole("alert").waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/agents"]);
    await page.getByRole("combobox", { name: "Voice", exact: true }).fill("offline-rms");
    const sample = page.waitForResponse((response) => response.url().includes("/v1/voices/offline-rms/sample"));
    await page.getByRole("button", { name: "Listen" }).click();
    assert.equal((await sample).headers()["content-type"], "audio/wav");
    await page.getByRole("button", { name: "Advanced settings" }).click();
    await page.getByLabel("What it leaves on a voicemail").fill("Hello {{first_name}}, it is Vera.");
    await preview.getByText("On a voicemail").waitFor();
    await picture(page, "agents-voice");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Vera", level: 1 }).waitFor();
    await page.goto("/console/agents");
    await page.getByText("By text").first().click();
    await page.waitForURL(/type=sms/);
    // The rows of before stand until those of the filter are there.
    await page.getByRole("link", { name: "Vera" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Ava" }).waitFor();
    assert.deepEqual(wrong, []);
  });
  await t.test("a template of a trade fills in what an agent says and finds out", async () => {
    await page.goto("/console/agents/new?type=sms");
    await page.getByRole("combobox", { name: "Trade" }).click();
    await page.getByRole("option", { name: "Dental practice" }).click();
    assert.equal(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue(), "Nora");
    assert.match(await firstText.inputValue(), /this is Nora of Acme Homes\. Your check-up is due\./);
    await preview.getByText("this is Nora of Acme Homes").waitFor();
    assert.deepEqual(await wrongWith(page, "agents-template"), []);
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("heading", { name: "Nora", level: 1 }).waitFor();
    assert.deepEqual(wrong, []);
  });

  await t.test("an admin makes one for an organization that others work for", async () => {
    const made = await service.post("/v1/organizations", { name: "Lake Homes" });
    await service.post(`/v1/organizations/${made.body.unique_id}/users`, { name: "Uma", email: "uma@lake.example" });
    await page.evaluate((id) => localStorage.setItem("parley-organization", id), made.body.unique_id as string);
    await page.goto("/console/agents/new?type=sms");
    await page.getByRole("combobox", { name: "Trade" }).click();
    await page.getByRole("option", { name: "Solar" }).click();
    await page.getByText("of Lake Homes").first().waitFor();
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("button", { name: "Create agent" }).waitFor({ state: "detached" });
    assert.match(page.url(), /\/agents\/agt_/);
    assert.deepEqual(wrong, []);
  });
});
