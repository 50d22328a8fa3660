import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { publicId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { callerOfToken, linkToken } from "./link-token.ts";

const TENANT = "01900000-0000-7000-8000-000000000001";
const CALL = "01900000-0000-7000-8000-000000000002";
const NOON = Date.parse("2026-11-20T12:00:00.000Z");

const at = (ms: number, key = "key") =>
  ({
    now: () => new Date(ms),
    newId: () => CALL,
    signLink: (text) => createHmac("sha256", key).update(text).digest(),
  }) as Pick<Context, "now" | "newId" | "signLink"> as Context;

const recording = (call: string) => ({ what: "recording" as const, id: publicId("call", call) });
const token = linkToken(at(NOON), TENANT, recording(CALL));
const open = (ctx: Context, call = CALL) => callerOfToken(ctx, recording(call), token);

test("a link opens its call's recording for five minutes, for reading alone", () => {
  for (const ms of [NOON, NOON + 5 * 60_000 - 1]) {
    const { tenantId, scopes } = open(at(ms));
    assert.deepEqual([tenantId, scopes], [TENANT, ["read"]]);
  }
});

test("after that it is refused, and so is one under another key, or for another call, or another thing", () => {
  const refused = { code: "link_invalid", status: 403 };
  assert.throws(() => open(at(NOON + 5 * 60_000)), refused);
  assert.throws(() => open(at(NOON, "another key")), refused);
  assert.throws(() => open(at(NOON), TENANT), refused);
  assert.throws(() => callerOfToken(at(NOON), { ...recording(CALL), what: "media" }, token), refused);
});
