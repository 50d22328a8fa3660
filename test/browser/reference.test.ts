import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley } from "#test/support/api/parley.ts";
import { openBrowser, openPage, withoutBrowser } from "#test/support/browser/browser.ts";

test("the API reference works under a policy that lets nothing in but our own files", {
  skip: withoutBrowser,
}, async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { page, wrong } = await openPage(await openBrowser(t), api.url);

  const answer = await page.goto("/docs");
  assert.match(answer!.headers()["content-security-policy"]!, /script-src 'self'; style-src 'self' 'sha256-/);
  // Nothing that is refused by the policy is missing: an operation is opened, tried and answered.
  await page.locator(".opblock-get .opblock-summary-control").filter({ hasText: "List organizations" }).first().click();
  await page.getByRole("button", { name: "Try it out" }).click();
  const tried = page.waitForResponse((response) => response.url().includes("/v1/organizations"));
  await page.getByRole("button", { name: "Execute" }).click();
  assert.equal((await tried).status(), 401);
  await page.locator(".live-responses-table").getByText("401").first().waitFor();
  assert.deepEqual(wrong, ["401: GET /v1/organizations"]);
});
