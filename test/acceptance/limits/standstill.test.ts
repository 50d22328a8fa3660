import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { anOwner } from "#test/support/accounts/owner.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { importFile, sendFile } from "#test/support/campaigns/import.ts";
import { gets, says, textsTo, threadOf } from "#test/support/messaging/handset.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { type Owner, type ServiceProcess, startProcess } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";
import { until } from "#test/support/time/until.ts";

const HOLD_AT_MARK = pathToFileURL(join(root, "test/support/processes/hold-at-mark.ts")).href;
const WITHIN_MS = 90_000;

/** A worker that is started again whenever it ends, as a supervisor does. Answers with how those before it have ended. */
function supervisedWorker(owner: Owner, env: Record<string, string>): { ends: string[]; said: string[] } {
  const [ends, said]: [string[], string[]] = [[], []];
  let worker: ServiceProcess | undefined;
  let isOver = false;
  const turn = async (): Promise<void> => {
    const end = worker?.ended();
    if (worker === undefined || end !== undefined) {
      if (worker !== undefined) {
        ends.push(end!);
        said.push(...worker.said);
      }
      worker = await startProcess(owner, "worker", env);
    }
    if (!isOver) timer = setTimeout(turn, 100);
  };
  let timer = setTimeout(turn, 0);
  owner.after(() => {
    isOver = true;
    clearTimeout(timer);
  });
  return { ends, said };
}

test("a text that holds whoever reads it is set aside, and everybody else is served", {
  timeout: 2 * WITHIN_MS,
}, async (t) => {
  const api = await startApiProcess(t);
  const dataDir = aFolder("standstill");
  const client = await openClient(t, api.databaseUrl);
  const worker = supervisedWorker(t, {
    DATABASE_URL: api.databaseUrl,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_STANDSTILL_MS: "3000",
    NODE_OPTIONS: `--import=${HOLD_AT_MARK}`,
  });
  const [hostile, stopper, curious] = ["+12124521001", "+12124521002", "+12124521003"];
  await aNoon(api);
  const { campaignId } = await aCampaign(api, {
    contacts: [hostile, stopper, curious].map((phone_number) => ({ phone_number })),
    agent: { reply_delay_ms: 0 },
  });
  for (const phone of [hostile, stopper, curious]) await gets(api, phone, 1);

  await says(api, hostile, "Höld the reader");
  await says(api, stopper, "STOP");
  await says(api, curious, "who is this?");

  await until(
    "the stop is obeyed",
    async () => (await threadOf(api, stopper, campaignId)).state === "opted_out",
    WITHIN_MS,
  );
  await until("the others are answered", async () => (await textsTo(api, curious)).length >= 2, WITHIN_MS);
  const rows = await until(
    "it is set aside",
    async () => {
      const { rows } = await client.query("select kind, times from stuck_tasks where set_aside_at is not null");
      return rows.length > 0 && rows;
    },
    WITHIN_MS,
  );
  assert.deepEqual(rows, [{ kind: "text", times: 2 }]);
  // Kept, and not answered.
  const kept = async () =>
    (await threadOf(api, hostile, campaignId)).messages.map((message: { text: string }) => message.text);
  await until("it is in the conversation", async () => (await kept()).includes("Höld the reader"), WITHIN_MS);
  assert.ok((await threadOf(api, hostile, campaignId)).person_wanted_at !== null);
  assert.deepEqual(worker.ends, ["SIGKILL", "SIGKILL"]);
  assert.match(worker.said.join(""), /has stood still and is ended/);

  await says(api, curious, "And what do you want?");
  await until("the others go on", async () => (await textsTo(api, curious)).length >= 3, WITHIN_MS);
  assert.equal(worker.ends.length, 2);
});

test("a row of an import that holds whoever reads it is set aside, and the rest of the file is imported", {
  timeout: 2 * WITHIN_MS,
}, async (t) => {
  const api = await startApiProcess(t, { PARLEY_STANDSTILL_MS: "3000", NODE_OPTIONS: `--import=${HOLD_AT_MARK}` });
  const owner = await anOwner(api);
  const row = (n: number) => `+1303${2_000_000 + n},${n === 6_000 ? "Höld the reader" : `N${n}`}`;
  const file = ["phone,first_name", ...Array.from({ length: 7_000 }, (_, n) => row(n))].join("\n");
  const sent = await sendFile(api, file, owner);
  assert.equal(sent.status, 202, JSON.stringify(sent.body));

  const fileImport = await until(
    "the import is over",
    async () => {
      const { body } = await api.get(`/v1/contacts/imports/${sent.body.import.import_id}`);
      return body.import.status !== "running" && body.import.status !== "waiting" && body.import;
    },
    WITHIN_MS,
  );
  assert.deepEqual([fileImport.status, fileImport.created, fileImport.failed], ["completed", 6_999, 1]);
  const { body } = await api.get(`/v1/contacts/imports/${fileImport.import_id}/errors`);
  assert.deepEqual(
    body.errors.map((error: { row: number; reason: string }) => [error.row, error.reason]),
    [[6_002, "has held two processes that read it, and was set aside"]],
  );
  const { set_aside } = (await api.get("/v1/system")).body.system;
  assert.deepEqual(
    set_aside.map((task: Record<string, unknown>) => [task.kind, task.times, task.import_id, task.row]),
    [["import_row", 2, fileImport.import_id, 6_002]],
  );
  assert.match(api.complaints.join(""), /the thread for imports has stood still/);
  // It was the thread that ended, not the process, and the next file is read.
  assert.equal(api.child.exitCode ?? api.child.signalCode, null);
  assert.equal((await importFile(api, owner, "phone\n+12125550163\n")).created, 1);
});
