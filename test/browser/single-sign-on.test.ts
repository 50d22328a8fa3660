import assert from "node:assert/strict";
import { test } from "node:test";
import { startProvider } from "#test/support/accounts/identity-provider.ts";
import {
  openBrowser,
  openPage,
  picture,
  settle,
  setUpThere,
  TELEPHONE,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

test("an admin names an identity provider, and people sign in by it and come back", {
  skip: withoutBrowser,
}, async (t) => {
  const service = await startConsole(t, { roles: "api", env: { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" } });
  const idp = await startProvider(t, [`${service.url}/console/sign-on`]);
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  const { step } = stepsOf(t);
  const card = page.getByRole("region", { name: "Acme", exact: true });
  const form = page.getByRole("dialog");
  let link = "";

  await step("the page says what to do at the provider before there is one", async () => {
    await page.goto("/console/system/single-sign-on");
    await page.getByText("No identity provider yet").waitFor();
    await page.getByText(`${service.url}/console/sign-on`).waitFor();
    await settle(page);
    assert.deepEqual(await wrongWith(page, "single-sign-on-none"), []);
  });

  await step("what is wrong with the form is said at its fields, and then the provider is there", async () => {
    await page.getByRole("button", { name: "Add a provider" }).first().click();
    await form.getByLabel("Name").fill("Acme");
    await form.getByLabel("Issuer").fill("http://login.acme.example");
    await form.getByLabel("Client ID").fill(idp.client.client_id);
    await form.getByLabel("Client secret", { exact: true }).fill(idp.client.client_secret);
    await form.getByLabel("E-mail domains").fill("acme.example");
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText("must begin with https://").waitFor();
    assert.deepEqual(wrong.splice(0), ["400: POST /v1/identity-providers"]);
    await form.getByLabel("Issuer").fill(idp.issuer);
    // The field is what one sees; its input has no room of its own.
    await form.getByLabel("Organizations").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Acme Homes" }).click();
    await page.keyboard.press("Tab");
    assert.deepEqual(await wrongWith(page, "single-sign-on-form"), []);
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.waitFor({ state: "detached" });
    await card.getByText(idp.issuer).waitFor();
    assert.equal(await page.getByText(idp.client.client_secret).count(), 0);
  });

  await step("a test says whether the provider answers, and what is wrong where it does not", async () => {
    await card.getByRole("button", { name: "Test" }).click();
    await card.getByText("It answers as it should").waitFor();
    idp.isDown = true;
    await card.getByRole("button", { name: "Test" }).click();
    await card.getByText("cannot be read as an issuer").waitFor();
    idp.isDown = false;
  });

  await step("groups are given roles, and the secret stays", async () => {
    await card.getByRole("button", { name: "Change" }).click();
    await form.getByLabel("Claim with the groups").fill("groups");
    await form.getByRole("button", { name: "Add a group" }).click();
    await form.getByRole("textbox", { name: "Group", exact: true }).fill("sales");
    await form.getByLabel("Role of its members").click();
    await page.getByRole("option", { name: "Manager" }).click();
    assert.deepEqual(await wrongWith(page, "single-sign-on-groups"), []);
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    await card.getByText("Group sales").waitFor();
    await card.getByText("Kept sealed").waitFor();
    assert.deepEqual(await wrongWith(page, "single-sign-on-card"), []);
    const { providers } = (await page.evaluate("fetch('/v1/identity-providers').then((answer) => answer.json())")) as {
      providers: { sign_in_url: string }[];
    };
    link = providers[0]!.sign_in_url;
    assert.deepEqual(wrong, []);
  });

  /** A visitor, without what the way over the provider itself is noted as. */
  const visitor = async (size?: typeof TELEPHONE) => {
    const opened = await openPage(browser, service.url, size);
    const own = () => opened.wrong.filter((line) => !line.startsWith(`another origin: ${idp.issuer}/`));
    return { page: opened.page, own };
  };

  await step("the button comes with an address of the domain, whoever has it, and leads in as a new user", async () => {
    idp.account = { sub: "1", email: "bo@acme.example", email_verified: true, name: "Bo Reyes", groups: ["sales"] };
    const { page: bo, own } = await visitor();
    await bo.goto("/console/agents");
    await bo.getByLabel("E-mail").fill("bo@elsewhere.example");
    await bo.getByLabel("E-mail").fill("nobody-here@acme.example");
    const button = bo.getByRole("button", { name: "Sign in with Acme" });
    await button.waitFor();
    assert.deepEqual(await wrongWith(bo, "sign-in-by-provider"), []);
    await bo.getByLabel("E-mail").fill("bo@elsewhere.example");
    await button.waitFor({ state: "detached" });
    await bo.getByLabel("E-mail").fill("bo@acme.example");
    await button.click();
    await bo.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
    assert.match(bo.url(), /\/console\/agents$/, "where the visitor wanted to go");
    const { session } = (await bo.evaluate("fetch('/v1/session').then((answer) => answer.json())")) as {
      session: { permission: string; user: { email: string; name: string } };
    };
    assert.deepEqual(
      [session.permission, session.user.email, session.user.name],
      ["manager", "bo@acme.example", "Bo Reyes"],
    );
    assert.deepEqual(own(), []);
    await bo.context().close();
  });

  await step("by the link the button is there at once, also on a telephone", async () => {
    const { page: bo, own } = await visitor(TELEPHONE);
    await bo.goto(link);
    await bo.getByRole("button", { name: "Sign in with Acme" }).waitFor();
    await picture(bo, "sign-in-by-link-375");
    await bo.getByRole("button", { name: "Sign in with Acme" }).click();
    await bo.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    assert.deepEqual(own(), []);
    await bo.context().close();
  });

  await step("who is refused reads why, and what came back counts no second time", async () => {
    idp.account = { sub: "2", email: "eve@acme.example", email_verified: false };
    const { page: eve } = await visitor();
    await eve.goto(link);
    await eve.getByRole("button", { name: "Sign in with Acme" }).click();
    await eve.getByText("The provider does not say that your e-mail address is verified").waitFor();
    assert.deepEqual(await wrongWith(eve, "sign-on-refused"), []);
    const came = eve.url();
    idp.account = { sub: "1", email: "bo@acme.example", email_verified: true, groups: ["sales"] };
    await eve.goto(came);
    await eve.getByText("was not begun in this browser").waitFor();
    await eve.getByRole("link", { name: "Back to the sign-in page" }).click();
    await eve.getByRole("heading", { name: "Sign in" }).waitFor();
    await eve.goto("/console/sign-on");
    await eve.getByText("It begins at the sign-in page").waitFor();
    assert.deepEqual(await violations(eve), []);
    await eve.context().close();
  });
});
