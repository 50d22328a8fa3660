import assert from "node:assert/strict";
import { test } from "node:test";
import { callPageOf, callPageRequest } from "./page.ts";

const rows = [30, 20, 10].map((ms) => ({ start_at: new Date(1_800_000_000_000 + ms) }));

test("the key of a page is the start of its last call, to the millisecond", () => {
  const page = callPageOf(rows, 2);
  assert.deepEqual([page.items, page.hasMore], [rows.slice(0, 2), true]);
  assert.equal(page.nextKey, "2027-01-15T08:00:00.020Z");
  assert.deepEqual(callPageRequest({ limit: 2, pagination_key: page.nextKey! }), {
    limit: 2,
    before: rows[1]!.start_at,
  });
});

test("the last page has no key", () => {
  assert.deepEqual(callPageOf(rows, 3), { items: rows, hasMore: false, nextKey: null });
  assert.deepEqual(callPageOf([], 3), { items: [], hasMore: false, nextKey: null });
});

test("without a key it starts with the newest, a hundred at a time", () => {
  assert.deepEqual(callPageRequest({}), { limit: 100, before: undefined });
});

test("what is no time is a 400 that names the key", () => {
  for (const pagination_key of ["x", "1800000000020", "2027-01-15", "2027-02-30T08:00:00Z", "AAAAAAAAAAAAAAAAAAAAAA"]) {
    assert.throws(() => callPageRequest({ pagination_key }), /^AppError: pagination_key is not a next_pagination_key/);
  }
});
