import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  picture,
  setUpThere,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { microphone } from "#test/support/browser/microphone.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { startConsole } from "#test/support/processes/console-process.ts";

const ANN = "+12125550199";

test("one plays a phone by the browser's microphone", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api,worker,media" });
  const browser = await openBrowser(t, await microphone(500, "Hello?", 6_000, "Yes, I want to sell.", 6_000));
  const { page, wrong } = await openPage(browser, service.url);
  await setUpThere(page, service.setupLink);
  await aNoon(service);
  const vera = await service.post("/v1/agents", {
    ...(await ownerOf(page)),
    agent_type: "voice",
    agent_name: "Vera",
    voice_id: "offline-slt",
    prompt: "Ask whether they want to sell.",
    starting_message: "Hello, do you want to sell your house?",
    // Longer than one looks at it; and the microphone, which speaks by itself, cuts nothing off.
    ring_duration_ms: 300_000,
    interruption_sensitivity: 0,
  });
  assert.equal(vera.status, 201);
  await service.put(handsetPath(ANN), { behavior: "manual" });
  const rings = async () => {
    const { agent_id } = vera.body;
    const placed = await service.post("/v1/voice/calls", { agent_id, from_number: SENDER, to_number: ANN });
    assert.equal(placed.status, 201, JSON.stringify(placed.body));
    return placed.body.call.call_id as string;
  };
  let callId = "";
  const ann = page.getByRole("region", { name: "Phone (212) 555-0199" });

  await t.test("it answers, is heard and hears", async () => {
    callId = await rings();
    await page.goto(`/console/simulator?phones=${encodeURIComponent(ANN)}`);
    const speak = ann.getByRole("button", { name: "Answer and speak" });
    await speak.waitFor();
    await ann.getByText("You take its calls").waitFor();
    assert.deepEqual(await wrongWith(page, "handset-rings"), []);
    await speak.click();
    await ann.getByText("You are on the line: speak.").waitFor();
    await ann.getByText(/^Agent: .*do you want to sell your house/).waitFor();
    await ann
      .getByText(/^You: /)
      .first()
      .waitFor();
    await ann
      .getByText(/^Agent: /)
      .nth(1)
      .waitFor();
    assert.deepEqual(await wrongWith(page, "handset-spoken"), []);
  });

  await t.test("muted it goes on, and hung up it is over, with a recording", async () => {
    await ann.getByRole("button", { name: "Mute", exact: true }).click();
    await ann.getByText("The agent does not hear you.").waitFor();
    await ann.getByRole("button", { name: "Hang up" }).click();
    await ann.getByText(/^Answered, /).waitFor();
    await picture(page, "handset-over");
    await page.goto(`/console/calls/${callId}`);
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await page.getByText("do you want to sell your house").first().waitFor();
    await picture(page, "handset-call");
  });

  await t.test("whoever looks at it elsewhere sees that it was taken, and may hang up", async () => {
    await rings();
    await page.goto(`/console/simulator?phones=${encodeURIComponent(ANN)}`);
    await ann.getByRole("button", { name: "Answer and speak" }).click();
    await ann.getByText("You are on the line: speak.").waitFor();
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(`/console/simulator?phones=${encodeURIComponent(ANN)}`);
    const theirs = elsewhere.getByRole("region", { name: "Phone (212) 555-0199" });
    await theirs.getByText("Somebody has taken it by a microphone.").waitFor();
    await theirs.getByRole("button", { name: "Hang up" }).click();
    await ann.getByText("You are on the line: speak.").waitFor({ state: "detached" });
    await elsewhere.close();
    assert.deepEqual(wrong, []);
  });
});
