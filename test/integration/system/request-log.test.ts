import assert from "node:assert/strict";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { readConfig } from "#app/settings/config.ts";
import { classOf, type LoggedRequest } from "#domain/system/logged-request.ts";
import type { Uuid } from "#domain/values/id.ts";
import { keepRequests, trimRequests } from "#operations/system/keep-requests.ts";
import { removeOld } from "#operations/system/retention.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** As KEPT has it, a hundredth: the rule is the same. */
const KEPT = { change: 500, failed_change: 100, read: 200, failed_read: 100 };
const FLOOD = 3_000;
const DAY_MS = 86_400_000;

type Wanted = { method: string; operation: string; scope: string; status: number; key?: Uuid; at?: Date };

test("a tenant that floods the log of requests finds what happened before, between and after", async (t) => {
  const url = await cloneDatabase(t);
  const { ctx, close } = wire(readConfig({ PARLEY_LOG_LEVEL: "error" }), url, "test");
  t.after(close);
  const sql = await openClient(t, url);
  const [tenant, other, admins, floods] = [ctx.newId(), ctx.newId(), ctx.newId(), ctx.newId()];

  const aRequest = (tenantId: Uuid, wanted: Wanted): LoggedRequest => ({
    ...{
      tenantId,
      id: ctx.newId(),
      at: wanted.at ?? ctx.now(),
      method: wanted.method,
      path: "/v1/x",
      operation: wanted.operation,
    },
    ...{
      class: classOf(wanted, wanted.status),
      status: wanted.status,
      ms: 1,
      keyId: wanted.key ?? floods,
      userId: null,
      answer: null,
    },
  });
  const keep = async (tenantId: Uuid, wanted: Wanted, count = 1): Promise<Uuid> => {
    const them = Array.from({ length: count }, () => aRequest(tenantId, wanted));
    await keepRequests(ctx, them);
    return them[0]!.id;
  };
  const isThere = async (id: Uuid) => (await sql.query("select from request_log where id = $1", [id])).rowCount === 1;
  const counts = async (tenantId: Uuid) => {
    const text = "select class, count(*)::int as n from request_log where tenant_id = $1 group by class order by class";
    const { rows } = await sql.query(text, [tenantId]);
    return Object.fromEntries(rows.map((row) => [row.class, row.n]));
  };

  const REVOKE: Wanted = { method: "DELETE", operation: "revokeApiKey", scope: "admin", status: 200, key: admins };
  const ERASE: Wanted = { method: "DELETE", operation: "deleteContact", scope: "write", status: 200 };
  const READ: Wanted = { method: "GET", operation: "getMe", scope: "read", status: 200 };
  const theirs = [await keep(other, READ), await keep(other, ERASE), await keep(other, REVOKE)];
  const revoked = await keep(tenant, REVOKE);
  const erasedByAnother = await keep(tenant, { ...ERASE, key: admins });
  const erased = await keep(tenant, ERASE);
  const sent = await keep(tenant, { method: "POST", operation: "createCampaign", scope: "send", status: 202 });
  const refused = await keep(tenant, { ...ERASE, operation: "deleteCampaign", status: 403 });
  const looked = await keep(tenant, { ...READ, operation: "getContact" });

  await t.test(
    "whatever it floods it with: reads, what fails, or the very change that is to be forgotten",
    async () => {
      await keep(tenant, READ, FLOOD);
      await keep(tenant, { ...READ, status: 404 }, FLOOD);
      await keep(tenant, { ...ERASE, status: 403 }, FLOOD);
      await keep(tenant, ERASE, FLOOD);
      const between = await keep(tenant, { ...ERASE, operation: "updateContact" });
      await keep(tenant, REVOKE, FLOOD);
      await keep(tenant, ERASE, FLOOD);
      const last = await keep(tenant, ERASE);
      await trimRequests(ctx, [tenant, other], KEPT);

      const all = { revoked, erasedByAnother, erased, sent, refused, looked, between, last };
      for (const [name, id] of Object.entries(all)) assert.ok(await isThere(id), `${name} is there`);
      for (const id of theirs) assert.ok(await isThere(id), "what another tenant did is there");
    },
  );

  await t.test("each class is bounded but administration, which goes by its age alone", async () => {
    assert.deepEqual(await counts(tenant), { ...KEPT, administration: FLOOD + 1 });
    assert.deepEqual(await counts(other), { administration: 1, change: 1, read: 1 });
    await trimRequests(ctx, [tenant], KEPT);
    assert.deepEqual(await counts(tenant), { ...KEPT, administration: FLOOD + 1 }, "and again nothing more goes");
  });

  await t.test("administration is kept for a year, the others for seven days", async () => {
    const ago = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS);
    const [old, older] = [
      await keep(tenant, { ...REVOKE, at: ago(364) }),
      await keep(tenant, { ...REVOKE, at: ago(366) }),
    ];
    const [week, overAWeek] = [
      await keep(other, { ...ERASE, at: ago(6) }),
      await keep(other, { ...ERASE, at: ago(8) }),
    ];
    await removeOld(ctx, { eventDays: 30 });
    assert.deepEqual(
      [await isThere(old), await isThere(older), await isThere(week), await isThere(overAWeek)],
      [true, false, true, false],
    );
  });
});
