import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BOOTSTRAP_KEY, client } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { startProcess } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";

/** With these many requests on their way at each node, some always wait for the same statement. */
const AT_ONCE = 8;
/** Of each of them, before the change and after its answer. */
const REQUESTS = 5;

type Node = ReturnType<typeof client>;

/** Two api processes on one database. */
async function twoNodes(t: TestContext): Promise<[Node, Node]> {
  const databaseUrl = await cloneDatabase(t);
  const start = async (): Promise<Node> => {
    const folder = aFolder("ended-keys");
    // All of them are refused in the end, which must not put the address off.
    const env = { DATABASE_URL: databaseUrl, PARLEY_DATA_DIR: folder, PARLEY_AUTH_FAILURE_LIMIT: "0" };
    return client((await startProcess(t, "api", env)).url!, BOOTSTRAP_KEY);
  };
  return [await start(), await start()];
}

/**
 * Asks both nodes with a key without a pause, makes a change by the first, and answers with what those got that were sent before its answer had come, and
 * those that were sent after.
 */
async function asked(nodes: readonly Node[], key: string, change: () => Promise<{ status: number }>) {
  const [before, after]: [string[], string[]] = [[], []];
  let isAnswered = false;
  let mayChange = () => {};
  const busy = new Promise<void>((resolve) => {
    mayChange = resolve;
  });
  const asking = nodes.flatMap((node) =>
    Array.from({ length: AT_ONCE }, async () => {
      for (let left = REQUESTS; left > 0; ) {
        const got = isAnswered ? after : before;
        if (isAnswered) left--;
        const { status, body } = await node.get("/v1/me", { key });
        got.push(`${status} ${body.code ?? ""}`);
        if (before.length === nodes.length * AT_ONCE * REQUESTS) mayChange();
      }
    }),
  );
  await busy;
  const { status } = await change();
  isAnswered = true;
  await Promise.all(asking);
  return { status, first: before.slice(0, nodes.length * AT_ONCE), after };
}

test("what ends a key has ended it on every node once it is answered", async (t) => {
  const nodes = await twoNodes(t);
  const [node] = nodes;
  const create = async (body: object) => (await node.post("/v1/api-keys", { name: "Busy", ...body })).body;
  const all = (answer: string, answers: readonly string[]) =>
    assert.deepEqual([answers.length > 0, answers.filter((other) => other !== answer)], [true, []]);

  await t.test("revoked", async () => {
    for (let round = 0; round < 5; round++) {
      const { api_key, key_id } = await create({});
      const { status, first, after } = await asked(nodes, api_key, () => node.delete(`/v1/api-keys/${key_id}`));
      assert.equal(status, 200);
      all("200 ", first);
      all("401 unauthorized", after);
    }
  });

  await t.test("replaced without an overlap", async () => {
    const { api_key, key_id } = await create({});
    const rotate = () => node.post(`/v1/api-keys/${key_id}/rotate`, { overlap_seconds: 0 });
    const { status, first, after } = await asked(nodes, api_key, rotate);
    assert.equal(status, 201);
    all("200 ", first);
    all("401 unauthorized", after);
  });

  await t.test("limited to an organization that is archived, until that is restored", async () => {
    const id = (await node.post("/v1/organizations", { name: "Acme" })).body.unique_id;
    const { api_key } = await create({ organization_ids: [id], scopes: ["read"] });
    const archived = (archived: boolean) => () => node.patch(`/v1/organizations/${id}`, { archived });
    const ended = await asked(nodes, api_key, archived(true));
    assert.equal(ended.status, 200);
    all("200 ", ended.first);
    all("403 organization_archived", ended.after);
    const restored = await asked(nodes, api_key, archived(false));
    all("403 organization_archived", restored.first);
    all("200 ", restored.after);
  });
});
