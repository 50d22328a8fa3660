import assert from "node:assert/strict";
import { test } from "node:test";
import { demoKey } from "./command.ts";

const URL = "http://localhost:8080";
const start = (text: string | undefined, bootstrapApiKey?: string, isNew = true) =>
  demoKey(
    { url: URL, apiKey: text === undefined ? undefined : { text, isNew } },
    { bootstrapApiKey, dataDir: ".data" },
  );

test("--demo loads with the first key, or with a configured test key, which it does not print", () => {
  assert.deepEqual(start("pk_test_first"), { key: "pk_test_first", shown: "pk_test_first" });
  assert.deepEqual(
    start("pk_test_first", undefined, false),
    { key: "pk_test_first", shown: "$(cat .data/first-api-key)" },
    "it is shown once",
  );
  assert.deepEqual(start(undefined, "pk_test_ours"), { key: "pk_test_ours", shown: "$PARLEY_BOOTSTRAP_API_KEY" });
});

test("--demo without a test key says why there is no demo data, and how to get it", () => {
  const how = `POST ${URL}/v1/demo with a test key loads it.`;
  assert.equal(
    start(undefined),
    `No demo data was loaded, as the database has a tenant already, but .data has no first-api-key: ${how}`,
  );
  assert.equal(
    start(undefined, "pk_live_ours"),
    `No demo data was loaded, as PARLEY_BOOTSTRAP_API_KEY is a live key: ${how}`,
  );
  assert.equal(
    demoKey(
      { url: undefined, apiKey: { text: "pk_test_first", isNew: true } },
      { bootstrapApiKey: undefined, dataDir: ".data" },
    ),
    "No demo data was loaded, as this process has no API: POST /v1/demo loads it.",
  );
});
