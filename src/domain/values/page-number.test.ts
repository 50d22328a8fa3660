import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "./errors.ts";
import { cutPage, numberedPage } from "./page-number.ts";

test("a page without numbers is the first of fifty", () => {
  assert.deepEqual(numberedPage({}), { page: 1, limit: 50 });
  assert.deepEqual(numberedPage({ page: "3", limit: "500" }), { page: 3, limit: 500 });
});

test("numbers that are none, or out of range, are named together", () => {
  for (const wrong of ["0", "-1", "1.5", "1e2", "", " 1", "two", "99999999999999999999"]) {
    assert.throws(
      () => numberedPage({ page: wrong, limit: wrong }),
      (error: AppError) => error.status === 400 && error.details?.map((detail) => detail.field).join() === "page,limit",
      wrong,
    );
  }
  assert.throws(() => numberedPage({ limit: "501" }), AppError);
});

test("pages follow each other without gap or overlap, and end", () => {
  const rows = [1, 2, 3, 4, 5];
  const page = (number: number) => cutPage(rows, { page: number, limit: 2 });
  assert.deepEqual([page(1), page(2), page(3), page(4)], [[1, 2], [3, 4], [5], []]);
});
