import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { codeOf } from "#test/support/accounts/factors.ts";
import { tokenOfSetup } from "#test/support/accounts/person.ts";
import { startParley } from "#test/support/api/parley.ts";
import {
  ADMIN,
  openBrowser,
  openPage,
  setUpThere,
  withoutBrowser,
  wrongInBothSchemes,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { stepsOf } from "#test/support/browser/steps.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** A device of the browser's own that makes and keeps passkeys, and is unlocked by its person at once. */
async function plugIn(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const ACCOUNT = "/console/system/account";

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /account and appearance/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

async function password(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill(ADMIN.email);
  await page.locator("input[type=password]").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const home = (page: Page) => page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

/** Recovery codes, as they are shown this once. */
async function codesOf(page: Page): Promise<string[]> {
  const shown = page.locator("pre", { hasText: /([2-9a-z]{4}-){3}/ });
  await shown.waitFor();
  return (await shown.textContent())!.match(/([2-9a-z]{4}-){3}[2-9a-z]{4}/g)!;
}

test("a second factor is added, asked for and required in the console", { skip: withoutBrowser }, async (t) => {
  const api = await startParley(t, { PARLEY_RATE_LIMIT: "0", PARLEY_OVERLOAD_MS: "0" }, ["api"]);
  // Passkeys are of a name, and never of an address.
  const url = api.url.replace("127.0.0.1", "localhost");
  const browser = await openBrowser(t);
  const { page, wrong } = await openPage(browser, url);
  await setUpThere(page, `${url}/console/setup#token=${await tokenOfSetup(api)}`);
  await plugIn(page);
  const { step } = stepsOf(t);
  const found: string[] = [];
  let secret = "";
  let codes: string[] = [];
  const bo = await openPage(browser, url);

  await step("an app for codes, by its key, with recovery codes", async () => {
    await page.goto(ACCOUNT);
    await page.getByRole("button", { name: "Add a factor" }).click();
    await page.getByRole("button", { name: "Add an app for codes" }).click();
    await page.getByAltText("The key as a QR code").waitFor();
    secret = (await page.getByLabel("Key for the app").textContent())!.trim();
    found.push(...(await wrongWith(page, "factor-app")));
    await page.getByLabel("Code that the app shows").fill(codeOf(secret));
    await page.getByRole("button", { name: "Add the app" }).click();
    codes = await codesOf(page);
    found.push(...(await wrongWith(page, "factor-recovery-codes")));
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByText("10 recovery codes are left").waitFor();
  });

  await step("a passkey, which signs in alone", async () => {
    await page.getByRole("button", { name: "Add a factor" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Passkey, added").waitFor();
    found.push(...(await wrongWith(page, "factor-security")));
    await signOut(page);
    found.push(...(await wrongWith(page, "factor-sign-in")));
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await home(page);
    await signOut(page);
  });

  await step("after the password, the app's code", async () => {
    await password(page);
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    found.push(...(await wrongWith(page, "factor-second-step")));
    // The one of the step after the first, which counts already: that of the first has been used.
    await page.getByLabel("Code of your app").fill(codeOf(secret, 1));
    await page.getByRole("button", { name: "Continue" }).click();
    await home(page);
    await signOut(page);
  });

  await step("or the passkey", async () => {
    await password(page);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await home(page);
    await signOut(page);
  });

  await step("or a recovery code; no page opens before", async () => {
    await password(page);
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    await page.goto(ACCOUNT);
    await page.getByRole("heading", { name: "Second step" }).waitFor();
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(codes[0]!);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("9 recovery codes are left").waitFor();
  });

  await step("somebody is invited, and signs in without one", async () => {
    await page.goto("/console/system/users");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("Name").fill("Bo");
    await page.getByLabel("E-mail").fill("bo@acme.example");
    await page.getByRole("button", { name: "Make the invitation" }).click();
    const link = await page.getByText(/console\/invitation#token=/).textContent();
    await page.getByRole("dialog", { name: "Send this link on" }).getByRole("button", { name: "Close" }).click();
    await bo.page.goto(`/console/invitation#${new URL(link!.trim()).hash.slice(1)}`);
    await bo.page.locator("input[type=password]").fill("battery horse correct");
    await bo.page.getByRole("button", { name: "Set password" }).click();
    await home(bo.page);
  });

  await step("an admin requires one of everybody, and the console says so", async () => {
    await page.goto("/console/system/users");
    await page.getByRole("switch", { name: "Required of everybody" }).click();
    await page.locator("input[role=switch]:checked:enabled").waitFor({ state: "attached" });
    found.push(...(await wrongWith(page, "factor-policy")));
    await page.goto(ACCOUNT);
    await page.getByText("Required here").waitFor();
  });

  await step("whoever is signed in without one can only add one", async () => {
    await bo.page.getByRole("link", { name: "Contacts", exact: true }).click();
    await bo.page.getByRole("heading", { name: "Add a second factor" }).waitFor();
    found.push(...(await wrongInBothSchemes(bo.page, "factor-required")));
    await bo.page.getByRole("button", { name: "Add an app for codes" }).click();
    const key = (await bo.page.getByLabel("Key for the app").textContent())!.trim();
    await bo.page.getByLabel("Code that the app shows").fill(codeOf(key));
    await bo.page.getByRole("button", { name: "Add the app" }).click();
    assert.equal((await codesOf(bo.page)).length, 10);
    await bo.page.getByRole("button", { name: "I have kept them" }).click();
    await bo.page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
    // What was asked for on the way is refused, and nothing else.
    assert.deepEqual(
      bo.wrong.splice(0).filter((each) => !each.startsWith("403: GET ")),
      [],
    );
  });

  await step("an admin resets a member's, and shows in place who it is where that was long ago", async () => {
    const sql = await openClient(t, api.databaseUrl);
    await sql.query("update sessions set proved_at = now() - interval '1 hour'");
    await page.goto("/console/system/users");
    await page.getByRole("row", { name: /bo@acme.example/ }).click();
    await page.getByRole("button", { name: "Reset second factor" }).click();
    const asked = page.getByRole("dialog", { name: /Reset the second factor of Bo/ });
    await asked.getByRole("button", { name: "Reset", exact: true }).click();
    const proof = page.getByRole("dialog", { name: "Is it you?" });
    await proof.getByRole("button", { name: "Use a recovery code" }).click();
    await proof.getByLabel("Recovery code").fill(codes[1]!);
    found.push(...(await wrongWith(page, "factor-proof")));
    found.push(...(await wrongInBothSchemes(page, "factor-proof-schemes")));
    await page.emulateMedia({ colorScheme: "light" });
    await proof.getByRole("button", { name: "Continue" }).click();
    await proof.waitFor({ state: "detached" });
    await asked.waitFor({ state: "detached" });
    const [refused, ...others] = wrong.splice(0);
    assert.match(refused!, /^403: DELETE \/v1\/users\/[^/]+\/factors$/);
    assert.deepEqual(others, []);
    assert.equal((await sql.query("select from factors where kind = 'totp'")).rowCount, 1, "the admin's alone");
    await bo.page.reload();
    await bo.page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  assert.deepEqual(found, []);
  assert.deepEqual(wrong, []);
});
