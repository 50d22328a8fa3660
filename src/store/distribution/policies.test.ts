import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSelects } from "./policies.ts";

test("a condition says the same without the selects that its settings are read in", () => {
  const setting = "current_setting('app.tenant'::text, true)";
  const tenant = `(NULLIF(NULLIF(${setting}, ''::text), '*'::text))::uuid`;
  assert.equal(
    withoutSelects(`((id = ( SELECT ${tenant} AS "nullif")) OR ( SELECT (${setting} = '*'::text)))`),
    `((id = (${tenant})) OR ((${setting} = '*'::text)))`,
  );
  assert.equal(
    withoutSelects(`(a = ANY (( SELECT ${tenant} AS "nullif")::uuid[]))`),
    `(a = ANY ((${tenant})::uuid[]))`,
  );
  assert.equal(withoutSelects("(( SELECT 1 AS x) = ( SELECT 1))"), "((1) = (1))");
  assert.equal(withoutSelects("false"), "false");
});
