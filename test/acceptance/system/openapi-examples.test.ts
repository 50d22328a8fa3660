import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Example } from "#http/server/examples.ts";
import { anonymous, exampleOf, isSent, sendExample } from "#test/support/api/examples.ts";
import { fits, nonconformance, readAllOperations } from "#test/support/api/openapi.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aWorld } from "#test/support/api/world.ts";

const FILE = "data/api-examples.json";

/** `WRITE_EXAMPLES=1 npm test -- test/acceptance/system/openapi-examples.test.ts` makes the file anew. */
const isMade = process.env.WRITE_EXAMPLES === "1" || !existsSync(FILE);

test("the examples of the OpenAPI document", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const operations = (await readAllOperations(api)).filter(
    ({ success }) => success.type === "application/json" && success.status !== 101,
  );
  const inOrder = [
    ...operations.filter(({ method }) => method !== "DELETE"),
    ...operations.filter(({ method }) => method === "DELETE"),
  ];
  if (isMade) {
    const own = await startParley(t, {}, ["api"]);
    const world = await aWorld(own);
    const made: Record<string, Example> = {};
    for (const operation of inOrder) made[operation.id] = await exampleOf(own, world, operation);
    writeFileSync(FILE, `${anonymous(JSON.stringify(made, null, 1))}\n`);
  }
  const examples = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Example>;

  await t.test("every operation that answers with JSON has one, and no other has", () => {
    assert.deepEqual(Object.keys(examples).sort(), operations.map(({ id }) => id).sort());
  });

  await t.test("each request is of the schema, and each answer", () => {
    assert.doesNotMatch(JSON.stringify(examples), /"a \w+"/, "words stand in example-words.ts");
    for (const operation of operations) {
      const { body, answer } = examples[operation.id]!;
      assert.equal(body !== undefined, operation.body !== undefined, `${operation.id} has a body`);
      if (operation.body) assert.ok(fits(operation.body, body), `${operation.id}: ${JSON.stringify(body)}`);
      const headers = new Headers({ "content-type": "application/json; charset=utf-8" });
      const wrong = nonconformance(operation, { status: operation.success.status, headers, body: answer });
      assert.equal(wrong, undefined, `${operation.id}: ${wrong}`);
    }
  });

  await t.test("each request that the world has the things for is taken by a service, as it says", async () => {
    const world = await aWorld(api);
    const sent = inOrder.filter(isSent);
    for (const operation of sent) {
      const answer = await sendExample(api, world, operation, examples[operation.id]!);
      assert.equal(nonconformance(operation, answer), undefined, `${operation.id}: ${JSON.stringify(answer.body)}`);
      assert.equal(answer.status, operation.success.status, `${operation.id}: ${JSON.stringify(answer.body)}`);
    }
    assert.ok(sent.length > 100, `${sent.length}`);
  });
});
