import assert from "node:assert/strict";
import { test } from "node:test";
import { type Together, together } from "./together.ts";

test("what comes while others are on their way is done together, a hundred at a time, and each has its own result", async () => {
  const ctx = { process: { together: new Map() as Together } };
  const sizes: number[] = [];
  const work = async (_: typeof ctx, _tenantId: string, items: readonly { n: number }[]) => {
    sizes.push(items.length);
    return new Map(items.map((item) => [item, 2 * item.n]));
  };
  const items = Array.from({ length: 251 }, (_, n) => ({ n }));
  const results = await Promise.all(items.map((item) => together(ctx, "double", "tenant", item, work)));
  assert.deepEqual(
    results,
    items.map(({ n }) => 2 * n),
  );
  assert.deepEqual(sizes, [1, 100, 100, 50]);
});

test("one that fails is repeated by itself, and fails nobody else", async () => {
  const ctx = { process: { together: new Map() as Together } };
  const work = async (_: typeof ctx, _tenantId: string, items: readonly { n: number }[]) => {
    if (items.some(({ n }) => n === 3)) throw new Error("three");
    return new Map(items.map((item) => [item, item.n]));
  };
  const items = Array.from({ length: 6 }, (_, n) => ({ n }));
  const results = await Promise.allSettled(items.map((item) => together(ctx, "same", "tenant", item, work)));
  assert.deepEqual(
    results.map(({ status }) => status),
    items.map(({ n }) => (n === 3 ? "rejected" : "fulfilled")),
  );
});
