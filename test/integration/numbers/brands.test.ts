import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import type { Context } from "#operations/context.ts";
import { createBrand } from "#operations/registration/create-brand.ts";
import { pollBrands } from "#operations/registration/read-brands.ts";
import { resubmitBrand } from "#operations/registration/resubmit-brand.ts";
import * as brands from "#store/numbers/brands.ts";
import { cloneDatabase } from "#test/support/database/database.ts";

const signal = new AbortController().signal;

async function aContext(t: TestContext): Promise<Context> {
  const url = await cloneDatabase(t);
  const secret = "0123456789abcdef0123456789abcdef";
  const { ctx, close } = wire(
    readConfig({ DATABASE_URL: url, PARLEY_SECRET_KEY: secret, PARLEY_LOG_LEVEL: "silent" }),
    url,
    "test",
  );
  t.after(close);
  return ctx;
}

async function aCaller(ctx: Context) {
  const tenantId = await createTenant(ctx, "Acme");
  return {
    tenantId,
    accountId: tenantId,
    keyId: ctx.newId(),
    mode: "test" as const,
    scopes: ["write"],
    organizations: undefined,
    newId: ctx.newId,
  };
}

const later = (ctx: Context, ms: number): Context => ({ ...ctx, now: () => new Date(Date.now() + ms) });

test("the poll settles the waiting brands of every tenant, page after page", async (t) => {
  const ctx = await aContext(t);
  const callers = await Promise.all([aCaller(ctx), aCaller(ctx)]);
  for (const [i, caller] of callers.entries()) {
    for (let n = 0; n < 60; n++)
      await createBrand(ctx, caller, { ein: n === 0 ? "12-0000000" : `12-${i}` }, undefined, signal);
  }
  await pollBrands(ctx);
  for (const { tenantId } of callers) {
    const all = await brands.list(ctx.db, tenantId, { before: undefined, limit: 100 });
    assert.ok(all.every((brand) => brand.status === "PENDING"));
  }
  await pollBrands(later(ctx, 5_000));
  for (const { tenantId } of callers) {
    const all = await brands.list(ctx.db, tenantId, { before: undefined, limit: 100 });
    assert.equal(all.filter((brand) => brand.status === "ACTIVE").length, 59);
    assert.equal(all.filter((brand) => brand.status === "REJECTED").length, 1);
  }
});

test("a registry that cannot be reached leaves a brand PENDING, and delays no other", async (t) => {
  const ctx = await aContext(t);
  const caller = await aCaller(ctx);
  const [deaf, heard] = [
    await createBrand(ctx, caller, {}, undefined, signal),
    await createBrand(ctx, caller, {}, undefined, signal),
  ];
  const { brandStatus } = ctx.registry;
  const registry: Context["registry"] = {
    ...ctx.registry,
    brandStatus: (id, ...rest) => (id === deaf.id ? Promise.reject(new Error("away")) : brandStatus(id, ...rest)),
  };
  await pollBrands({ ...later(ctx, 5_000), registry });
  assert.equal((await brands.find(ctx.db, caller.tenantId, deaf.id))?.status, "PENDING");
  assert.equal((await brands.find(ctx.db, caller.tenantId, heard.id))?.status, "ACTIVE");
});

test("a verdict that fails by a mistake of ours keeps no other brand waiting", async (t) => {
  const ctx = await aContext(t);
  const caller = await aCaller(ctx);
  const made = await Promise.all([0, 1, 2].map(() => createBrand(ctx, caller, {}, undefined, signal)));
  const { brandStatus } = ctx.registry;
  const registry: Context["registry"] = {
    ...ctx.registry,
    brandStatus(id, ...rest) {
      // Not as a registry that is away: nothing of the poll expects it.
      if (id === made[0]!.id) throw new TypeError("undefined is not a brand");
      return brandStatus(id, ...rest);
    },
  };
  await pollBrands({ ...later(ctx, 5_000), registry });
  const statuses = [];
  for (const { id } of made) statuses.push((await brands.find(ctx.db, caller.tenantId, id))?.status);
  assert.deepEqual(statuses, ["PENDING", "ACTIVE", "ACTIVE"]);
});

test("the verdict on a submission never lands on the one after it", async (t) => {
  const ctx = await aContext(t);
  const caller = await aCaller(ctx);
  const { tenantId } = caller;
  const first = await createBrand(ctx, caller, { ein: "12-0000000" }, undefined, signal);
  await pollBrands(later(ctx, 5_000));
  const second = await resubmitBrand(later(ctx, 6_000), caller, first.id, { ein: "12-3456789" }, signal);
  const late = { fields: first.fields, status: "REJECTED" as const, reasons: ["TAX_ID"], score: null, at: new Date() };
  assert.equal(await brands.change(ctx.db, tenantId, first, late), undefined);
  assert.deepEqual(await brands.find(ctx.db, tenantId, first.id), second);
  assert.equal(second.status, "PENDING");
});
