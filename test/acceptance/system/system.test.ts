import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { commitOf } from "#app/process/release.ts";
import { parseId } from "#domain/values/id.ts";
import { aPerson } from "#test/support/accounts/person.ts";
import { startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { root } from "#test/support/source/source.ts";

test("the system, for whoever looks after it", async (t) => {
  const model = await startLanguageModelServer();
  t.after(() => model.close());
  const secret = "sk-a-secret-0123456789";
  const api = await startParley(t, {
    PARLEY_LLM_BASE_URL: model.url,
    PARLEY_LLM_MODEL: "stand-in",
    PARLEY_LLM_API_KEY: secret,
    PARLEY_LLM_FALLBACK_BASE_URL: "http://127.0.0.1:1/v1",
    PARLEY_LLM_FALLBACK_MODEL: "second",
    PARLEY_LLM_FALLBACK_API_KEY: secret,
  });

  await t.test("it names nodes, carriers, model, storage, law and jobs, and no secret", async () => {
    const asked = performance.now();
    const { status, body } = await api.get("/v1/system");
    const tookMs = performance.now() - asked;
    assert.equal(status, 200, JSON.stringify(body));
    const { system } = body;
    assert.match(system.version, /^\d+\.\d+\.\d+/);
    assert.equal(system.commit, commitOf(root));
    assert.deepEqual(
      system.nodes.map((node: { roles: string[]; is_alive: boolean }) => [node.roles, node.is_alive]),
      [[["worker"], true]],
    );
    assert.deepEqual(system.carriers, [
      { channel: "sms", mode: "test", name: "simulator" },
      { channel: "voice", mode: "test", name: "simulator" },
      { channel: "sms", mode: "live", name: null },
      { channel: "voice", mode: "live", name: null },
    ]);
    assert.deepEqual(system.model, {
      name: "openai-compatible:stand-in, then openai-compatible:second",
      host: new URL(model.url).host,
      fallback: { name: "second", host: "127.0.0.1:1" },
    });
    assert.deepEqual(system.conversations, { answer_delayed: 0, delayed_since: null, need_person: 0 });
    assert.ok(system.storage.database_bytes > 1_000_000 && system.storage.free_bytes > 0);
    assert.equal(system.law.profile, "strict");
    assert.ok(system.law.rules > 10 && system.law.area_codes > 300);
    // The database's time is as old as the answer may be late.
    assert.ok(Math.abs(system.clock.skew_ms) < 1_000 + tookMs, `${system.clock.skew_ms} ms, asked for ${tookMs}`);
    assert.deepEqual([system.backup.fenced_at, system.jobs.failing], [null, 0]);
    assert.ok(!JSON.stringify(body).includes(secret));
  });

  await t.test("the model is called as an agent calls it, and its failure is reported", async () => {
    model.behave({ kind: "answer", text: "Of course, how can I help?" });
    const answered = (await api.post("/v1/system/test-model", {})).body.test;
    assert.deepEqual([answered.outcome, answered.detail], ["passed", "It answered: “Of course, how can I help?”"]);
    model.behave({ kind: "status", status: 503 });
    const failed = (await api.post("/v1/system/test-model", {})).body.test;
    assert.equal(failed.outcome, "failed");
    assert.match(failed.detail, /^The model did not answer: /);
    model.behave({ kind: "answer", text: "See https://evil.example/pay" });
    const refused = (await api.post("/v1/system/test-model", {})).body.test;
    assert.deepEqual([refused.outcome, refused.detail], ["failed", "The model wrote what may not be sent, twice."]);
  });

  await t.test("the simulated carrier takes a text to itself", async () => {
    const { test: result } = (await api.post("/v1/system/test-carrier", {})).body;
    assert.deepEqual([result.name, result.outcome], ["simulator", "passed"]);
    const { messages } = (await api.get("/v1/simulator/handsets/%2B12125550199")).body;
    assert.deepEqual(
      messages.map((message: { text: string }) => message.text),
      ["A test of the simulated carrier."],
    );
  });

  await t.test("what held two processes is shown, and is tried again or left alone", async () => {
    const sql = await openClient(t, api.databaseUrl);
    const { tenant_id } = (await api.get("/v1/me")).body;
    for (const [kind, id] of [
      ["text", "simulator sim_1"],
      ["extraction", randomUUID()],
      ["reply", randomUUID()],
    ]) {
      await sql.query(
        `insert into stuck_tasks (tenant_id, kind, id, times, first_at, last_at, set_aside_at)
         values ($1, $2, $3, 2, now(), now(), now())`,
        [parseId("tenant", tenant_id), kind, id],
      );
    }
    const theirs = randomUUID();
    await sql.query(
      `insert into tenants (id, name, created_at, mode, account_id, other_id) values ($1, 'Other', now(), 'test', $1, gen_random_uuid())`,
      [theirs],
    );
    await sql.query(
      `insert into stuck_tasks (tenant_id, kind, id, times, first_at, last_at, set_aside_at)
       values ($1, 'reply', 'theirs', 2, now(), now(), now())`,
      [theirs],
    );
    type Task = { task_id: string; kind: string; times: number };
    const tasks = async (): Promise<Task[]> => (await api.get("/v1/system")).body.system.set_aside;
    const shown = await tasks();
    assert.deepEqual(shown.map((task) => [task.kind, task.times]).sort(), [
      ["extraction", 2],
      ["reply", 2],
      ["text", 2],
    ]);
    const resolve = (kind: string, action: string) =>
      api.post(`/v1/system/set-aside/${shown.find((task) => task.kind === kind)!.task_id}/resolve`, { action });
    const refused = await resolve("text", "retry");
    assert.deepEqual([refused.status, refused.body.details[0].field], [400, "action"]);
    for (const [kind, action] of [
      ["text", "discard"],
      ["extraction", "retry"],
      ["reply", "discard"],
    ] as const) {
      const { status, body } = await resolve(kind, action);
      assert.deepEqual([status, body.task?.action], [200, action], JSON.stringify(body));
    }
    assert.deepEqual(await tasks(), []);
    const foreign = Buffer.from("reply theirs").toString("base64url");
    assert.equal((await api.post(`/v1/system/set-aside/${foreign}/resolve`, { action: "retry" })).status, 404);
    const { rows } = await sql.query("select kind, discarded_at is null as waits from stuck_tasks order by kind, id");
    assert.deepEqual(rows.map((row) => [row.kind, row.waits]).sort(), [
      ["reply", false],
      ["reply", true],
      ["text", false],
    ]);
    assert.equal((await resolve("extraction", "retry")).status, 404);
    assert.equal((await api.post("/v1/system/set-aside/nothing/resolve", { action: "retry" })).status, 404);
  });

  await t.test("only who has the scope admin may look or try", async () => {
    const member = await aPerson(api, "manager");
    for (const [method, path] of [
      ["GET", "/v1/system"],
      ["POST", "/v1/system/test-model"],
      ["POST", "/v1/system/test-carrier"],
    ] as const) {
      const { status, body } = await member.ask(method, path, method === "POST" ? {} : undefined);
      assert.deepEqual([status, body.code], [403, "role_refused"]);
    }
  });
});
