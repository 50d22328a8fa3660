import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { LoggedRequest, RequestClass } from "#domain/system/logged-request.ts";
import type { Context } from "#operations/context.ts";
import { RequestLog } from "./request-log.ts";

const [FLOODS, OTHER] = [randomUUID(), randomUUID()];

const aRequest = (tenantId: string, of: RequestClass): LoggedRequest => ({
  ...{ tenantId, id: randomUUID(), at: new Date(0), method: "GET", path: "/v1/me", operation: "getMe", class: of },
  ...{ status: 200, ms: 1, keyId: randomUUID(), userId: null, answer: null },
});

/** A log whose database takes batches, unless it is away. */
function aLog() {
  const batches: { tenants: string[]; classes: string[] }[] = [];
  const database = { isAway: false, without: new Set<string>() };
  const run = async ({ name }: { name: string }, values: unknown[]) => {
    if (database.isAway) throw new Error("away");
    if (name === "insert-requests") batches.push({ tenants: values[0] as string[], classes: values[6] as string[] });
    return 0;
  };
  const isAway = (tenantId: string) => database.without.has(tenantId);
  const ctx = { db: { run, isAway }, log: { warn() {} }, now: () => new Date(0) } as unknown as Context;
  const kept = (tenantId: string, of: RequestClass) =>
    batches
      .flatMap(({ tenants, classes }) => tenants.map((tenant, i) => tenant === tenantId && classes[i] === of))
      .filter(Boolean).length;
  return { log: new RequestLog(ctx), database, batches, kept };
}

const written = (log: RequestLog): Promise<void> => (log as unknown as { write(): Promise<void> }).write();
const waiting = (log: RequestLog): number => (log as unknown as { count: number }).count;

test("a flood of one tenant and class, before and after, pushes out nothing else", async () => {
  const { log, kept, batches } = aLog();
  for (let i = 0; i < 20_000; i++) log.note(aRequest(FLOODS, i % 2 === 0 ? "read" : "failed_read"));
  for (const kind of ["administration", "change"] as const) log.note(aRequest(FLOODS, kind));
  log.note(aRequest(OTHER, "read"));
  for (let i = 0; i < 20_000; i++) log.note(aRequest(FLOODS, "read"));
  await log.close();

  assert.deepEqual(
    [kept(FLOODS, "administration"), kept(FLOODS, "change"), kept(OTHER, "read"), kept(FLOODS, "read")],
    [1, 1, 1, 2_000],
  );
  assert.ok(batches.every(({ tenants }) => tenants.length <= 2_000));
});

test("while the database is away those wait of which there are few, and the memory is bounded", async () => {
  const { log, kept, database } = aLog();
  database.isAway = true;
  log.note(aRequest(OTHER, "change"));
  await (log as unknown as { write(): Promise<void> }).write();
  for (let tenant = 0; tenant < 12; tenant++) {
    const tenantId = randomUUID();
    for (let i = 0; i < 2_000; i++) log.note(aRequest(tenantId, "read"));
  }
  assert.equal((log as unknown as { count: number }).count, 10_000);
  database.isAway = false;
  await log.close();
  assert.equal(kept(OTHER, "change"), 1);
});

test("requests of a tenant whose server is down wait, in their order, and others' are written", async () => {
  const { log, kept, database, batches } = aLog();
  database.without.add(OTHER);
  for (let i = 0; i < 3_000; i++) {
    log.note(aRequest(FLOODS, i % 2 === 0 ? "read" : "change"));
    log.note(aRequest(OTHER, i % 2 === 0 ? "read" : "change"));
  }
  await written(log);
  assert.deepEqual([kept(FLOODS, "read"), kept(FLOODS, "change"), kept(OTHER, "read")], [1_500, 1_500, 0]);
  assert.equal(waiting(log), 3_000);
  database.without.clear();
  await log.close();
  assert.deepEqual([kept(OTHER, "read"), kept(OTHER, "change")], [1_500, 1_500]);
  assert.ok(batches.every(({ tenants }) => tenants.length <= 2_000));
});

test("many tenants whose server is down push out no other's requests, and take no more memory than others do", async () => {
  const { log, kept, database } = aLog();
  const tenants = Array.from({ length: 500 }, () => randomUUID());
  database.without = new Set(tenants);
  const floods = () => {
    for (let i = 0; i < 30; i++) for (const tenant of tenants) log.note(aRequest(tenant, "failed_read"));
  };
  floods();
  for (let i = 0; i < 1_500; i++) log.note(aRequest(FLOODS, "read"));
  const writing = written(log);
  floods();
  await writing;
  assert.equal(kept(FLOODS, "read"), 1_500);
  assert.equal(waiting(log), 10_000);
  database.without.clear();
  await log.close();
  assert.ok(tenants.every((tenant) => kept(tenant, "failed_read") > 0));
});
