import { wire } from "#app/context.ts";
import { createKey, createTenant } from "#app/roles/keys.ts";
import { parseId } from "#domain/values/id.ts";
import { client, type Parley } from "#test/support/api/parley.ts";

/** A client with all scopes, of a tenant of its own, for the service that `api` is a client of. */
export async function anotherTenant(
  api: Pick<Parley, "config" | "databaseUrl" | "url">,
  mode: "live" | "test" = "test",
): Promise<ReturnType<typeof client>> {
  const { ctx, close } = wire(api.config, api.databaseUrl, "another tenant");
  const tenantId = await createTenant(ctx, "Another", mode);
  const key = await createKey(ctx, tenantId, mode, "All");
  await close();
  return client(api.url, key);
}

/** Another key of the tenant that `of` is a client of, of either mode, with all scopes. */
export async function aKeyOf(
  api: Pick<Parley, "config" | "databaseUrl"> & Partial<Pick<Parley, "get">>,
  mode: "live" | "test",
  of: Pick<Parley, "get"> = api as Parley,
): Promise<string> {
  const { ctx, close } = wire(api.config, api.databaseUrl, "a key");
  const tenantId = parseId("tenant", (await of.get("/v1/me")).body.tenant_id)!;
  return createKey(ctx, tenantId, mode, "Other").finally(close);
}
