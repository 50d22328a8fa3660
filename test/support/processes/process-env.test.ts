import assert from "node:assert/strict";
import { test } from "node:test";
import { readSources } from "#test/support/source/source.ts";

/** The one is about who a process goes on as, the second starts what a user would start, the third only reads how we are started. */
const AS_USERS_DO = ["test/acceptance/system/as-root.test.ts", "scripts/screenshots/service.ts", "test/deploy.test.ts"];

test("every process of ours that a test, a bench or a script starts has its environment by processEnv", () => {
  const starting = readSources(["{test,bench,scripts}/**/*.ts"]).filter(({ code, literals }) => {
    return (
      /\b(spawn|spawnSync|fork|run|execFile)\(/.test(code) &&
      literals.some((text) => /(^|\/)bin\/parley\.ts$/.test(text))
    );
  });
  assert.ok(starting.length > 10);
  const without = starting.filter(({ imports }) => !imports.some((path) => path.endsWith("/process-env.ts")));
  assert.deepEqual(
    without.map(({ path }) => path),
    AS_USERS_DO.toSorted(),
  );
});
