import assert from "node:assert/strict";
import { test } from "node:test";
import { aPerson } from "#test/support/accounts/person.ts";
import { aKeyOf, anotherTenant } from "#test/support/accounts/tenant.ts";
import { startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { compareTimes } from "#test/support/api/answer-times.ts";
import { type JsonSchema, readOperations } from "#test/support/api/openapi.ts";
import { type Parley, until } from "#test/support/api/parley.ts";
import { aNoon } from "#test/support/campaigns/campaign.ts";
import { type IdField, neverGiven } from "#test/support/isolation/id-fields.ts";
import { aMarkedOrganization } from "#test/support/isolation/marked-organization.ts";
import { aPast } from "#test/support/isolation/marked-past.ts";
import {
  aMarkedTenant,
  KINDS,
  type Kind,
  SHARED_CAMPAIGN,
  SHARED_PHONE,
} from "#test/support/isolation/marked-tenant.ts";
import { matrixOf, readBack, VALUES } from "#test/support/isolation/matrix.ts";
import { callersOf } from "#test/support/isolation/matrix-callers.ts";
import { type Operation, requestWith } from "#test/support/isolation/matrix-request.ts";
import { keepJobs, keptJobs, mixedJobs, notedRequests, rowsOf } from "#test/support/isolation/tenant-traces.ts";
import { gets, quiet, says, textsTo, threadOf } from "#test/support/messaging/handset.ts";
import { settled } from "#test/support/messaging/settled.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { openClient, startWorkers } from "#test/support/processes/worker-process.ts";
import { isSample, sampled } from "#test/support/source/draw.ts";
import { aFolder } from "#test/support/source/folder.ts";

test("the isolation matrix: every operation, every id in it, every kind of id and of key", {
  timeout: 840_000,
}, async (t) => {
  const model = await startLanguageModelServer();
  t.after(() => model.close());
  model.behave({ kind: "answer", text: "Thank you! When would suit you?" });
  const dataDir = aFolder("matrix");
  const env = {
    PARLEY_DATA_DIR: dataDir,
    PARLEY_LLM_BASE_URL: model.url,
    PARLEY_LLM_MODEL: "stand-in",
    PARLEY_LOG_LEVEL: "trace",
    PARLEY_OVERLOAD_MS: "0",
  };
  const api = await startApiProcess(t, env);
  const sql = await openClient(t, api.databaseUrl);
  await keepJobs(sql);
  const workers = startWorkers(t, api, 1, env);

  // Ours asks; the other tenant never does from here on; a third one asks for what is ours.
  const them = await anotherTenant(api as unknown as Parley);
  const third = await anotherTenant(api as unknown as Parley);
  for (const each of [api, them]) await aNoon(each);
  const ours = await aMarkedTenant(api.url, api.key, "ta");
  const theirs = await aMarkedTenant(api.url, them.key, "tb");

  await t.test("two tenants have the same campaign id and text the same phone, each for itself", async () => {
    for (const each of [ours, theirs]) {
      await gets(each.api, SHARED_PHONE, 1);
      await says(each.api, SHARED_PHONE, `Hello ${each.mark}`);
      await gets(each.api, SHARED_PHONE, 2);
    }
    await quiet(api);
    for (const [each, other] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      const thread = JSON.stringify(await threadOf(each.api, SHARED_PHONE, SHARED_CAMPAIGN));
      const texts = JSON.stringify(await textsTo(each.api, SHARED_PHONE));
      assert.ok(thread.includes(each.mark) && texts.includes(each.mark));
      assert.ok(!thread.includes(other.mark) && !texts.includes(other.mark));
    }
    await says(ours.api, SHARED_PHONE, "STOP");
    await until(
      "ours has opted out",
      async () => (await threadOf(ours.api, SHARED_PHONE, SHARED_CAMPAIGN)).state === "opted_out",
    );
    assert.equal((await threadOf(theirs.api, SHARED_PHONE, SHARED_CAMPAIGN)).state, "replied");
  });

  await t.test("the same Idempotency-Key is another request of another tenant", async () => {
    const made = await Promise.all(
      [ours, theirs].map(({ api, mark }) =>
        api.request("POST", "/v1/organizations", { name: mark }, { headers: { "idempotency-key": "spring" } }),
      ),
    );
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201],
    );
    assert.equal(new Set(made.map(({ body }) => body.unique_id)).size, 2);
    assert.ok(made.every(({ headers }) => !headers.has("idempotent-replayed")));
  });

  const beside = await aMarkedOrganization(ours);
  await quiet(api);
  for (const each of [ours, theirs]) await aPast(sql, dataDir, each);
  const before = await settled(api, () => rowsOf(sql, theirs));

  const admin = await aPerson(api, "admin");
  // In the mode of the keys, whose things these are.
  await admin.ask("PATCH", "/v1/session", { mode: "test" });
  const people = { admin, leaver: await aPerson(api, "admin") };
  // Whatever policy the matrix sets binds none of them: who is bound gets one answer to everything.
  await sql.query("update sessions set has_shown_factor = true");
  const live = await aKeyOf(api, "live");
  const callers = await callersOf(ours.api, third.key, live, beside.api.key, people);
  const operations = await operationsOf(api);
  // The matrix loads demo data and removes it; what is left of that goes, for its campaigns would write of it for hours.
  const rests = async () => {
    await ours.api.delete("/v1/demo");
    await until("our demo data has gone", async () => (await ours.api.get("/v1/demo")).body.demo.status === "absent");
    await quiet(api);
  };
  const drawn = sampled(operations, 12, ({ id }) => id);
  const run = await matrixOf(api.url, drawn, { ours, theirs, beside, callers, quiet: rests });
  await quiet(api);
  const said = [...api.complaints, ...workers.complaints].join("");
  const prompts = model.requests.map(({ body }) => JSON.stringify(body));
  const jobs = await keptJobs(sql);
  t.diagnostic(
    `${run.operations} operations x ${run.fields} fields of ${KINDS.length + 1} kinds, ${VALUES.length} ids, ${run.callers} callers: ` +
      `${run.requests} requests, ${run.compared} pairs compared, ${run.leaks.length} leaks; ` +
      `${said.length} bytes of logs, ${jobs.length} jobs, ${prompts.length} prompts`,
  );

  await t.test(
    "another tenant's id is answered as fast as one that never was: the median difference is below 5 ms",
    async () => {
      for (const [operation, field] of TIMED) {
        const target = operations.find(({ id }) => id === operation)!;
        const ask = (value: string) => {
          const { url: path, body } = requestWith(target, ours.things, field, value);
          return { path, ...(body ? { body } : {}) };
        };
        const foreign = theirs.things[field.kind];
        const found = await compareTimes(ours, {
          name: operation,
          method: target.method,
          foreign: () => ask(foreign),
          random: () => ask(neverGiven(foreign, field.kind)),
        });
        const summary = `${operation}: ${found.median.toFixed(2)} ms, by ${found.pairs} pairs`;
        t.diagnostic(summary);
        assert.ok(found.isWithin, `${summary}: ${JSON.stringify(found)}`);
      }
    },
  );
  await t.test("every operation and every field that looks like an id has its place in the matrix", () => {
    assert.deepEqual(run.unplaced, []);
    assert.ok(isSample || (run.operations > 50 && run.fields > 80), "all of them");
  });
  await t.test("another tenant's id answers exactly as one that never was", () => assert.deepEqual(run.different, []));
  await t.test("an invalid or revoked key opens no operation", () => assert.deepEqual(run.opened, []));
  await t.test("no byte of the other tenant is in an answer", () => assert.deepEqual(run.leaks, []));
  // Before it reads its own: who takes a contact's evidence is written down.
  await t.test("the other tenant's rows are as they were", async () =>
    assert.deepEqual(await rowsOf(sql, theirs), before),
  );
  await t.test("no byte of ours is in what the other tenant reads of its own", async () => {
    const { leaks, marked } = await readBack(api.url, operations, theirs, ours);
    assert.deepEqual(leaks, []);
    for (const id of READS_OF_WORDS) assert.ok(marked.includes(id), `${id} tells its own words`);
  });
  await t.test("no byte of one organization is in what a key of another one reads of its own", async () => {
    const { leaks, marked } = await readBack(api.url, operations, beside, ours);
    assert.deepEqual(leaks, []);
    for (const id of READS_OF_AN_ORGANIZATION) assert.ok(marked.includes(id), `${id} tells its own words`);
  });
  await t.test("no answer is a failure of ours", () => assert.deepEqual(run.failures, []));
  await t.test("a request is noted for the tenant whose key it had", async () => {
    const { all, mixed } = await notedRequests(sql);
    assert.ok(all >= (isSample ? 100 : 1_000), `${all} are noted`);
    assert.equal(mixed, 0);
  });
  await t.test("logs contain no tenant's words", () => {
    assert.ok(said.length > 1_000, "there are logs");
    for (const { mark } of [ours, theirs])
      assert.deepEqual(
        said.split("\n").filter((line) => line.includes(mark)),
        [],
      );
  });
  await t.test("jobs carry ids of one tenant and no words", async () => {
    assert.ok(jobs.length > 4);
    assert.deepEqual(
      jobs.filter((job) => job.includes(ours.mark) || job.includes(theirs.mark)),
      [],
    );
    assert.deepEqual(await mixedJobs(sql), []);
  });
  await t.test("a prompt has the words of one tenant", () => {
    const of = (mark: string) => prompts.filter((prompt) => prompt.includes(mark));
    assert.ok(of(ours.mark).length > 0 && of(theirs.mark).length > 0);
    assert.deepEqual(
      of(ours.mark).filter((prompt) => prompt.includes(theirs.mark)),
      [],
    );
  });
});

/** Operations that find what they are asked for in ways of their own; the last two are those of bulk. */
const TIMED: readonly (readonly [operation: string, field: IdField & { kind: Kind }])[] = [
  ["getContact", { at: "path", way: ["lead_id"], kind: "lead" }],
  ["getCampaign", { at: "path", way: ["campaign_id"], kind: "campaign" }],
  ["listCampaignMessages", { at: "path", way: ["campaign_id"], kind: "campaign" }],
  ["getThread", { at: "path", way: ["thread_id"], kind: "thread" }],
  ["getCall", { at: "path", way: ["call_id"], kind: "call" }],
  ["getRecording", { at: "path", way: ["call_id"], kind: "call" }],
  ["getMedia", { at: "path", way: ["media_id"], kind: "media" }],
  ["getAgent", { at: "path", way: ["agent_id"], kind: "agent" }],
  ["getContactList", { at: "path", way: ["list_id"], kind: "list" }],
  ["getExtraction", { at: "path", way: ["thread_id"], kind: "thread" }],
  ["addCampaignLeads", { at: "path", way: ["campaign_id"], kind: "campaign" }],
  ["preflightNewCampaign", { at: "body", way: ["sms_agent_id"], kind: "agent" }],
];

/** Where a tenant reads what somebody has said or written: with none of its own words there, nothing were proven. */
const READS_OF_WORDS = [
  "getContact",
  "getThread",
  "getExtraction",
  "listExtractions",
  "getCall",
  "listCalls",
  "getRecording",
  "getMedia",
  "listContactTimeline",
  "exportContacts",
  "exportCampaignLeads",
  "getHandset",
];

/** The same for an organization, nothing of which has been sent. */
const READS_OF_AN_ORGANIZATION = ["getContact", "getAgent", "getCampaign", "exportContacts", "exportCampaignLeads"];

/** The operations with their forms, which readOperations leaves out. */
async function operationsOf(api: Pick<Parley, "get">): Promise<Operation[]> {
  const { body: document } = await api.get("/openapi.json", { key: null });
  const forms = document.paths as Record<
    string,
    Record<string, { requestBody?: { content?: Record<string, { schema: JsonSchema }> } }>
  >;
  return (await readOperations(api)).map((operation) => ({
    ...operation,
    form: forms[operation.path]?.[operation.method.toLowerCase()]?.requestBody?.content?.["multipart/form-data"]
      ?.schema,
  }));
}
