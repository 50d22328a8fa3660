import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import {
  ADMIN,
  openBrowser,
  openPage,
  picture,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("developers, the system and one's account", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);

  await t.test("a key is made for some addresses and areas, shown once, replaced and revoked", async () => {
    await page.goto("/console/developers");
    await page.getByRole("button", { name: "New API key" }).first().click();
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByRole("dialog").getByText("Enter a name").first().waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/api-keys"]);
    await page.getByLabel("Name").fill("nightly");
    const areas = page.getByRole("combobox", { name: "In these areas alone" });
    await areas.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Contacts and lists" }).click();
    await page.keyboard.press("Tab");
    const addresses = page.getByRole("combobox", { name: "May be used from" });
    await addresses.fill("office");
    await addresses.press("Enter");
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByRole("dialog").getByText("must be an address or a network").first().waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/api-keys"]);
    await addresses.press("Backspace");
    await addresses.fill("203.0.113.0/24");
    await addresses.press("Enter");
    await page.getByRole("combobox", { name: "Ends" }).click();
    await page.getByRole("option", { name: "In 90 days" }).click();
    assert.deepEqual(await wrongWith(page, "new-key"), []);
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByText("it is shown this once").waitFor();
    const [key] = (await service.get("/v1/api-keys")).body.api_keys;
    assert.deepEqual(key.scopes, ["contacts:read", "contacts:write", "contacts:send"]);
    assert.deepEqual(key.allowed_addresses, ["203.0.113.0/24"]);
    assert.ok(Math.abs(Date.parse(key.expires_at) - Date.now() - 90 * 86_400_000) < 600_000, key.expires_at);
    assert.match((await page.getByRole("dialog").locator("pre").textContent()) ?? "", /^pk_test_/);
    assert.deepEqual(await violations(page), []);
    await page
      .getByRole("dialog", { name: /The new key/ })
      .getByRole("button", { name: "Close" })
      .click();
    await page
      .getByRole("row", { name: /nightly/ })
      .first()
      .click();
    await page.getByText("203.0.113.0/24").waitFor();
    assert.deepEqual(await wrongWith(page, "key"), []);
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("combobox", { name: "The old one works on" }).click();
    await page.getByRole("option", { name: "For an hour" }).click();
    assert.deepEqual(await wrongWith(page, "rotate-key"), []);
    await page.getByRole("button", { name: "Make the new key" }).click();
    await page.getByText("it is shown this once").waitFor();
    await page.getByText("The old key works until").waitFor();
    const [next, old] = (await service.get("/v1/api-keys")).body.api_keys;
    assert.equal(old.key_id, key.key_id);
    assert.deepEqual([next.scopes, next.allowed_addresses], [key.scopes, key.allowed_addresses]);
    assert.ok(Math.abs(Date.parse(old.expires_at) - Date.now() - 3_600_000) < 120_000, old.expires_at);
    await page
      .getByRole("dialog", { name: /The new key/ })
      .getByRole("button", { name: "Close" })
      .click();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog", { name: "Revoke this key?" }).getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked").first().waitFor();
  });

  await t.test("the refused request is in the log, with its answer and as cURL", async () => {
    const refused = async () => (await service.get("/v1/requests?status=refused")).body.requests.length > 0;
    await until("it is logged, which is once a second", refused);
    await page.goto("/console/developers/requests?status=refused&people=yes");
    await page
      .getByRole("row", { name: /\/v1\/api-keys/ })
      .first()
      .click();
    await page.getByText("invalid_request").waitFor();
    await page.getByRole("button", { name: "Copy as cURL" }).waitFor();
    await picture(page, "request");
    assert.deepEqual(await violations(page), []);
  });

  await t.test("events that happen come to the top of the list", async () => {
    await page.goto("/console/developers/events");
    await page.getByText("Nothing has happened yet").waitFor();
    await page.getByText("Up to date", { exact: true }).first().waitFor();
    assert.equal((await service.post("/v1/dnc/add", { phone_number: "+12125550144" })).status, 201);
    await page.getByRole("grid", { name: "Events" }).getByText("do_not_call.changed").click();
    await page.getByText('"phone_number": "+12125550144"').waitFor();
  });

  await t.test("the system says what is wrong and what helps", async () => {
    await page.goto("/console/system");
    await page.getByText("Start a media node").waitFor();
    await page.getByText("Worker: texts").waitFor();
    await page.getByText("The offline agent").waitFor();
  });

  await t.test(
    "for how long what there is is kept is set, with what is wrong at its field and a question before anything is removed",
    async () => {
      const section = page.getByRole("region", { name: "Retention" });
      const [messages, recordings] = [section.getByLabel("Conversations by text"), section.getByLabel("Recordings")];
      const save = section.getByRole("button", { name: "Save" });
      const asked = page.getByRole("dialog", { name: "Remove what is older?" });
      await recordings.fill("90");
      await messages.fill("3");
      await save.click();
      await asked.getByText("Conversations by text older than 3 days").waitFor();
      await picture(page, "retention");
      assert.deepEqual(await violations(page), []);
      await asked.getByRole("button", { name: "Save and remove" }).click();
      await section
        .getByText(/must be/)
        .first()
        .waitFor();
      assert.deepEqual(wrong.splice(0), ["400: PUT /v1/retention"]);
      await messages.fill("");
      await save.click();
      await asked.getByRole("button", { name: "Cancel" }).click();
      await asked.waitFor({ state: "detached" });
      const kept = async () => (await service.get("/v1/retention")).body.retention;
      assert.equal((await kept()).recordings_days, null);
      await save.click();
      await asked.getByText("Recordings older than 90 days").waitFor();
      await asked.getByRole("button", { name: "Save and remove" }).click();
      await until("it is kept", async () => (await kept()).recordings_days === 90);
      await asked.waitFor({ state: "detached" });
      await recordings.fill("120");
      await save.click();
      await until("more is kept without a question", async () => (await kept()).recordings_days === 120);
      assert.deepEqual(await wrongWith(page, "retention-set"), []);
    },
  );

  await t.test("somebody is invited by a link, is given a role and an organization, and removed", async () => {
    await service.post("/v1/organizations", { name: "Second" });
    await page.goto("/console/system/users");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("Name").fill("Bo");
    await page.getByLabel("E-mail").fill("bo@acme.example");
    await page.getByRole("button", { name: "Make the invitation" }).click();
    await page.getByText(/console\/invitation#token=/).waitFor();
    await picture(page, "invitation");
    // The dialog before it may still be on its way out.
    await page.getByRole("dialog", { name: "Send this link on" }).getByRole("button", { name: "Close" }).click();
    await page.getByRole("row", { name: /bo@acme.example/ }).click();
    await page.getByRole("dialog").getByLabel("Role").click();
    await page.getByRole("option", { name: /Viewer/ }).click();
    await page.getByRole("grid").getByText("Viewer").waitFor();
    const organizations = page.getByRole("dialog").getByLabel("Organizations");
    // The field is what one sees; its input has no room of its own.
    await organizations.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Second" }).click();
    await page.getByRole("dialog").getByText("Second").first().waitFor();
    await picture(page, "user-organizations");
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove Bo?" }).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("row", { name: /bo@acme.example/ }).waitFor({ state: "detached" });
  });

  await t.test("an organization is archived and restored, and says what will happen", async () => {
    await page.goto("/console/system/organizations");
    await page.getByRole("row", { name: /Second/ }).click();
    const detail = page.getByRole("dialog").filter({ hasText: "org_" });
    for (const [verb, state] of [
      ["Archive", "Archived"],
      ["Restore", "Open"],
    ] as const) {
      await detail.getByRole("button", { name: verb }).click();
      const asked = page.getByRole("dialog", { name: `${verb} Second?` });
      await asked.getByText(verb === "Archive" ? "nothing more goes out" : "stay paused", { exact: false }).waitFor();
      await asked.getByRole("button", { name: verb }).click();
      await page
        .getByRole("row", { name: /Second/ })
        .getByText(state)
        .waitFor();
    }
    assert.deepEqual(await wrongWith(page, "organizations"), []);
  });

  await t.test("admins see where somebody is signed in, and who changed what", async () => {
    await page.goto("/console/system/users");
    await page.getByText("sees all organizations", { exact: false }).first().waitFor();
    assert.deepEqual(await wrongWith(page, "team"), []);
    await page.getByRole("row", { name: new RegExp(ADMIN.email) }).click();
    await page.getByRole("dialog").getByRole("region", { name: "Sessions" }).getByText("This one").waitFor();
    assert.deepEqual(await wrongWith(page, "team-user"), []);
    await page.getByRole("dialog").getByRole("link", { name: "Audit log" }).click();
    const log = page.getByRole("grid", { name: "Audit log" });
    await log.getByText("Delete user").waitFor();
    await log.getByText("Invite user").first().waitFor();
    assert.deepEqual(await wrongWith(page, "audit-log"), []);
  });

  await t.test("one's password is changed only by who knows it", async () => {
    await page.goto("/console/system/account");
    const [now, next] = [page.getByLabel("Your password now"), page.getByLabel("The new one")];
    await now.fill("not the password");
    await next.fill("another horse battery");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByRole("region", { name: "Password" }).getByText(/wrong/).first().waitFor();
    assert.equal(wrong.splice(0).length, 1);
    await now.fill(ADMIN.password);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The password is changed").waitFor();
    await page.getByText("This one").waitFor();
    assert.deepEqual(wrong, []);
  });
});
