import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_KINDS, eventUuid, kindsOf } from "./event.ts";

const TENANT = "0199b1c2-0000-7000-8000-00000a0b0c0d";
const AT = new Date("2026-11-21T10:00:00.000Z");

test("a prefix stands for all of its kinds, a name for itself, and neither counts twice", () => {
  assert.deepEqual(kindsOf(["call.ended", "call.*", "brand.updated"]), {
    kinds: ["call.ended", "call.started", "call.answered", "call.analysed", "brand.updated"],
  });
  assert.deepEqual(kindsOf([]), { kinds: [] });
});

test("a name that stands for nothing is named", () => {
  for (const name of ["call", "call.*.*", "calls.*", "*", "message.read", ".*"]) {
    assert.deepEqual(kindsOf(["call.ended", name]), { unknown: name });
  }
});

test("an event's id is a UUIDv7 of its time, and no two numbers, tenants or times share one", () => {
  const id = eventUuid(TENANT, 5, AT);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), AT.getTime());
  const other = TENANT.replace("d", "e");
  const ids = [
    id,
    eventUuid(other, 5, AT),
    eventUuid(TENANT, 6, AT),
    eventUuid(TENANT, 5, new Date(AT.getTime() + 1)),
    eventUuid(TENANT, 2 ** 30 + 5, AT),
    eventUuid(TENANT, 2 ** 40, AT),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.equal(id.length, 36);
  assert.equal(eventUuid(TENANT, 5, AT), id);
});

test("every kind is a thing and what became of it", () => {
  for (const kind of EVENT_KINDS) assert.match(kind, /^[a-z_]+\.[a-z_]+$/);
});
