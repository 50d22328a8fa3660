import assert from "node:assert/strict";
import { test } from "node:test";
import { attestationOf } from "./attestation.ts";

test("a verdict and a level are read from wherever a carrier says them, and nothing is made of what is not known", () => {
  const rows: [Parameters<typeof attestationOf>[0], ReturnType<typeof attestationOf>][] = [
    [{}, undefined],
    [{ verstat: "TN-Validation-Passed" }, { level: null, verdict: "passed" }],
    [{ verstat: "TN-Validation-Passed-A" }, { level: "A", verdict: "passed" }],
    [
      { verstat: "TN-Validation-Failed-C", indicator: "B" },
      { level: "B", verdict: "failed" },
    ],
    [{ verstat: "No-TN-Validation" }, { level: null, verdict: "not_checked" }],
    [{ indicator: " a " }, { level: "A", verdict: null }],
    [{ identity: "C" }, { level: "C", verdict: null }],
    [{ verstat: "Something-Else", indicator: "Z", identity: "x" }, undefined],
  ];
  for (const [said, expected] of rows) assert.deepEqual(attestationOf(said), expected, JSON.stringify(said));
});
