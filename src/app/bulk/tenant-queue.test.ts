import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { tenantQueue } from "./tenant-queue.ts";

const [A, B, C] = ["a", "b", "c"] as unknown as [Uuid, Uuid, Uuid];

test("tenants take turns, and each of them is served in the order in which it came", () => {
  const queue = tenantQueue<string>();
  for (const name of ["a1", "a2", "a3"]) queue.push(A, name);
  queue.push(B, "b1");
  const served = [queue.shift(), queue.shift()];
  queue.push(C, "c1");
  queue.push(B, "b2");
  for (let name = queue.first(); name; name = queue.first()) {
    assert.equal(queue.shift(), name);
    served.push(name);
  }

  assert.deepEqual(served, ["a1", "b1", "a2", "c1", "b2", "a3"]);
  assert.equal(queue.shift(), undefined);
});
