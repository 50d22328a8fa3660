import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { setupToken, setupUntil } from "./session.ts";

const sign = (until: string): string => createHmac("sha256", "key").update(until).digest("base64url");

test("a setup link is good for 24 hours, whatever end somebody writes into it is signed, and nothing else is one", () => {
  const now = new Date("2026-01-07T18:00:00Z");
  const token = setupToken(now, sign);
  const after = (ms: number) => new Date(now.getTime() + ms);
  const until = setupUntil(token, after(24 * 3_600_000 - 1))!;

  assert.equal(Number(until), now.getTime() + 24 * 3_600_000);
  assert.equal(token, `${until}_${sign(until)}`);
  assert.equal(setupUntil(token, after(24 * 3_600_000)), undefined);
  for (const wrong of ["", "x", sign(until), `${until}_`, `9${until}_${sign(until)}`, `${until}_${sign(until)}x`])
    assert.equal(setupUntil(wrong, now), undefined, wrong);
});
