import { wire } from "#app/context.ts";
import { createKey, createTenant } from "#app/keys.ts";
import { client, type Parley } from "./parley.ts";

/** A client with all scopes, of a tenant of its own, for the service that `api` is a client of. */
export async function anotherTenant(
  api: Pick<Parley, "config" | "databaseUrl" | "url">,
  mode: "live" | "test" = "test",
): Promise<ReturnType<typeof client>> {
  const { ctx, close } = wire(api.config, api.databaseUrl, "another tenant");
  const tenantId = await createTenant(ctx, "Another");
  const key = await createKey(ctx, tenantId, mode, "All");
  await close();
  return client(api.url, key);
}
