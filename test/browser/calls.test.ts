import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId, publicId } from "#domain/values/id.ts";
import { type Owner, ownerOf } from "#test/support/accounts/owner.ts";
import {
  openBrowser,
  openPage,
  picture,
  setUpThere,
  violations,
  withoutBrowser,
  wrongWith,
} from "#test/support/browser/browser.ts";
import { type CallsOf, insertCalls } from "#test/support/calls/calls.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { type ConsoleProcess, startConsole } from "#test/support/processes/console-process.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { until } from "#test/support/time/until.ts";

/** Who speaks with us, and who stays on the line without a word. */
const TALKER = "+12125550130";
const SILENT = "+12125550107";

/** Two slow cores make a call with sound. */
const WITHIN_MS = 90_000;

async function anAgent(api: ConsoleProcess, owner: Owner): Promise<string> {
  const { status, body } = await api.post("/v1/agents", {
    ...owner,
    agent_type: "voice",
    agent_name: "Vera",
    prompt: "Find out whether the contact wants to buy a home.",
    starting_message: "Hello, this is Vera of Acme. Do you have a minute?",
    voice_id: "11labs-Adrian",
    end_call_after_silence_ms: 600_000,
    // On a machine that is late a phone that is silent at first looks like a mailbox.
    detect_voicemail: false,
    extraction_fields: ["interest"],
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.agent_id;
}

async function call(api: ConsoleProcess, agent_id: string, to: string): Promise<string> {
  const { status, body } = await api.post("/v1/voice/calls", { agent_id, from_number: SENDER, to_number: to });
  assert.equal(status, 201, JSON.stringify(body));
  return body.call.call_id;
}

const callIs = (what: string, api: ConsoleProcess, id: string, wanted: (call: Record<string, unknown>) => boolean) =>
  until(`the call is ${what}`, async () => wanted((await api.get(`/v1/voice/calls/${id}`)).body.call), WITHIN_MS);

/** A call in words only, one whose sound has gone, and one that nobody took. */
async function insertOthers(t: Parameters<typeof openClient>[0], api: ConsoleProcess, owner: Owner, agentId: string) {
  const sql = await openClient(t, api.databaseUrl);
  const organizationId = parseId("organization", owner.organization_id)!;
  const { rows } = await sql.query("select tenant_id from organizations where id = $1", [organizationId]);
  const of: CallsOf = {
    tenantId: rows[0].tenant_id,
    organizationId,
    userId: parseId("user", owner.user_id)!,
    agentId: parseId("agent", agentId)!,
    publicOrganizationId: owner.organization_id,
    publicUserId: owner.user_id,
  };
  const utterances = [
    { role: "agent" as const, text: "Hi, this is Vera.", startMs: 0, endMs: 900, words: [] },
    { role: "contact" as const, text: "I am not interested.", startMs: 900, endMs: 1_900, words: [] },
  ];
  const detail = {
    utterances,
    summary: "They are not interested.",
    transcript: "Agent: Hi, this is Vera.\nUser: I am not interested.\n",
  };
  const cost = { total: "0.0123", carrier: "0.01", transcription: "0.001", voice: "0.001", model: "0.0003" };
  const base = Date.parse("2026-01-05T15:00:00.000Z");
  const ids = await insertCalls(sql, of, [
    { start_at: new Date(base), sentiment: "Negative", reason: "user_hangup", phone: "+12125550101", detail },
    {
      start_at: new Date(base + 1_000),
      phone: "+12125550102",
      detail: { ...detail, cost, recording: "gone.wav", recording_ms: 2_000 },
    },
    {
      ...{ start_at: new Date(base + 2_000), phone: "+12125550132", status: "not_connected", reason: "dial_no_answer" },
      ...{ duration_ms: 0, answered_at: null, answerer: null, sentiment: "Unknown" },
    },
  ]);
  return ids.map((id) => publicId("call", id));
}

test("calls are found, heard word by word, and steered while they go on", { skip: withoutBrowser }, async (t) => {
  const service = await startConsole(t, { roles: "api,worker,media", env: { PARLEY_SIMULATOR_CALLS: "audio" } });
  const browser = await openBrowser(t);
  const first = await openPage(browser, service.url);
  const { page, wrong } = first;
  await setUpThere(page, service.setupLink);
  const owner = await ownerOf(page);
  await aNoon(service);
  const says = ["Yes, I want to buy a home.", "That sounds good."];
  await service.put(handsetPath(TALKER), { behavior: "answer", answer_delay_ms: 0, says, hangs_up_after_ms: 10_000 });
  await service.put(handsetPath(SILENT), { behavior: "silent", answer_delay_ms: 0 });

  await t.test("an empty list says where calls come from", async () => {
    await page.goto("/console/calls");
    await page.getByText("No call yet").waitFor();
    await picture(page, "calls-empty");
    assert.deepEqual(await violations(page), []);
  });
  const agentId = await anAgent(service, owner);
  const heard = await call(service, agentId, TALKER);
  const live = await call(service, agentId, SILENT);
  const [inWords, lost] = await insertOthers(t, service, owner, agentId);
  const calls = page.getByRole("grid", { name: "Calls" });
  const rowsAre = (count: number) =>
    until(`${count} calls are listed`, async () => (await calls.getByRole("row").count()) === count + 1);

  await t.test("a call appears by itself; its agent is given an instruction, and it is stopped", async () => {
    await calls.getByText("In progress").first().waitFor();
    await callIs("ongoing", service, live, (call) => call.call_status === "ongoing");
    await page.goto(`/console/calls/${live}`);
    await page.getByLabel("What the agent should know").fill("Offer them Tuesday at 3 pm");
    assert.deepEqual(await wrongWith(page, "calls-live"), []);
    await page.getByRole("button", { name: "Send instruction" }).click();
    await page.getByText("The agent is given it at its next turn.").waitFor();
    await page.getByRole("button", { name: "Stop call" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop call" }).click();
    await page.getByText("Somebody here stopped the call").first().waitFor();
    await page.getByText("Nothing said", { exact: true }).waitFor();
  });

  await t.test("the list is filtered by the URL, and all is shown again", async () => {
    await page.goto("/console/calls");
    await calls.getByRole("row").nth(4).waitFor();
    await page.locator("input[aria-label=Sentiment]").click();
    await page.getByRole("option", { name: "Negative" }).click();
    await page.waitForURL(/sentiment=Negative/);
    await rowsAre(1);
    await page.reload();
    await calls.getByText("Talked with").waitFor();
    await page.locator("input[aria-label=Outcome]").click();
    await page.getByRole("option", { name: "Not reached" }).click();
    await page.getByText("No matching calls").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await calls.getByRole("row").nth(4).waitFor();
    await page.getByLabel("Last day").fill("2026-01-05");
    await rowsAre(3);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Calls", level: 1 }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("(212) 555-0132");
    await rowsAre(1);
    await calls.getByText("No answer").waitFor();
    await page.keyboard.press("Escape");
    await rowsAre(3);
    await page.keyboard.type("0132");
    await rowsAre(1);
    assert.deepEqual(wrong, []);
  });

  await t.test("a call in words has its words; one whose sound has gone says so", async () => {
    await page.goto(`/console/calls/${inWords}`);
    await page.getByText("I am not interested.").waitFor();
    await page.getByText("There is no recording:").waitFor();
    assert.deepEqual(wrong, []);
    await page.goto(`/console/calls/${lost}`);
    await page.getByText("The waveform cannot be drawn").waitFor();
    await page.getByText("The recording cannot be played.").waitFor();
    await page.getByText("I am not interested.").waitFor();
    // They were to be missing.
    const missing = wrong.splice(0).filter((problem) => !/^404: GET .*\/(waveform|recording)$/.test(problem));
    assert.deepEqual(missing, []);
    await page.goto("/console/calls/call_00000000000000000000000001");
    await page.getByText("Call not found").waitFor();
    assert.deepEqual([...new Set(wrong.splice(0))], ["404: GET /v1/voice/calls/call_00000000000000000000000001"]);
  });

  // Last, for it goes on until the phone hangs up.
  await t.test("while the recording plays the word that is heard is marked, and the mark moves on", async () => {
    await callIs("recorded", service, heard, (call) => call.recording_url !== null && call.call_status === "ended");
    await page.goto(`/console/calls/${heard}`);
    const words = page.locator("[data-start]");
    await words.first().waitFor();
    await page.locator("canvas").first().waitFor();
    const play = page.getByRole("button", { name: "Play", exact: true });
    const marked = async (): Promise<number | undefined> =>
      (
        await words.evaluateAll((all) =>
          all.filter((word) => "now" in word.dataset).map((word) => Number(word.dataset.start)),
        )
      )[0];
    let begun: number | undefined;
    await until("a word is marked, and then a later one", async () => {
      // On a machine that is late it may have played to its end in between.
      if (await play.isVisible()) {
        begun = undefined;
        await play.click();
      }
      const now = await marked();
      begun ??= now;
      return now !== undefined && now > begun!;
    });
    await picture(page, "calls-playing");
    const stop = page.getByRole("button", { name: "Pause", exact: true });
    await until("it stands still, by now or by itself", async () => {
      if (await stop.isVisible()) await stop.click({ timeout: 2_000 }).catch(() => {});
      return play.isVisible();
    });
    assert.deepEqual(await wrongWith(page, "calls-detail"), []);
  });

  await t.test("a click on a word goes there, and so do the keys", async () => {
    const position = page.getByRole("slider", { name: "Position in the recording" });
    const at = async (): Promise<number> => Number(await position.getAttribute("aria-valuenow"));
    const word = page.locator("[data-start]").last();
    const start = Number(await word.getAttribute("data-start"));
    await word.click();
    await until("it is at the word", async () => (await at()) >= Math.floor(start));
    await position.press("Home");
    await until("it went back", async () => (await at()) < Math.floor(start));
    await position.press("ArrowRight");
    await until("it is five seconds on", async () => (await at()) >= 5);
    await page.locator("label").filter({ hasText: "2×" }).click();
    assert.deepEqual(wrong, []);
  });

  await t.test("it is downloaded whole", async () => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `${heard}.wav`);
  });
  await t.test("a call is listened to where its row is, and who took part is named", async () => {
    await page.goto("/console/calls");
    const row = calls.getByRole("row").filter({ hasText: "555-0130" });
    await row.getByText("Vera").waitFor();
    await row.getByRole("button", { name: /^Listen to the call with/ }).click();
    await row.getByRole("button", { name: /^Pause the call with/ }).click();
    await row.getByRole("button", { name: /^Listen to the call with/ }).waitFor();
    assert.deepEqual(await wrongWith(page, "calls-list"), []);
  });
});
