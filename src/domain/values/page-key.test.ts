import assert from "node:assert/strict";
import { test } from "node:test";
import { textPageOf, textPageRequest } from "./page-key.ts";

const FORM = [/^\+\d+$/, /^[ab]$/];
const keyOf = (row: { phone: string; kind: string }) => [row.phone, row.kind];
const rows = [
  { phone: "+12125550101", kind: "a" },
  { phone: "+12125550101", kind: "b" },
  { phone: "+12125550102", kind: "a" },
];

test("a page's key leads to the rows after its last one", () => {
  const page = textPageOf(rows, 2, keyOf);
  assert.deepEqual(page.items, rows.slice(0, 2));
  assert.equal(page.hasMore, true);
  const next = textPageRequest({ limit: 2, pagination_key: page.nextKey! }, FORM);
  assert.deepEqual(next, { limit: 2, after: ["+12125550101", "b"] });
});

test("the last page has no key", () => {
  assert.deepEqual(textPageOf(rows, 3, keyOf), { items: rows, hasMore: false, nextKey: null });
  assert.deepEqual(textPageOf([], 3, keyOf), { items: [], hasMore: false, nextKey: null });
});

test("without a key the list starts at its beginning, a hundred at a time", () => {
  assert.deepEqual(textPageRequest({}, FORM), { limit: 100, after: undefined });
});

test("a key of another list, or no key at all, is a 400 that names it", () => {
  const foreign = textPageOf([1, 2], 1, () => ["B123456"]).nextKey!;
  for (const pagination_key of [foreign, "x", "%%%", "A", "ÿ", "Kw=="]) {
    assert.throws(() => textPageRequest({ pagination_key }, FORM), { status: 400 }, pagination_key);
  }
});
