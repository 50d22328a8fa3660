import { Command } from "commander";
import type { TSchema } from "typebox";
import * as contract from "#contract/accounts/api-keys.ts";
import { KEY_SCOPES, type KeyScope } from "#contract/accounts/key-scopes.ts";
import { validator } from "#contract/values/validate.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import { LAST_ID } from "#domain/values/paging.ts";
import { createApiKey } from "#operations/accounts/create-api-key.ts";
import { operatorOf } from "#operations/accounts/operator.ts";
import { listApiKeys } from "#operations/accounts/read-api-keys.ts";
import { revokeApiKey } from "#operations/accounts/revoke-api-key.ts";
import { rotateApiKey } from "#operations/accounts/rotate-api-key.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { ApiKey } from "#store/accounts/api-keys.ts";

type WithDatabase = (work: (ctx: Context) => Promise<void>) => Promise<void>;
type New = {
  tenant: string;
  live?: boolean;
  name: string;
  scopes?: readonly string[];
  organizations?: readonly string[];
  from?: readonly string[];
  expiresInDays?: number;
};

const DAY_MS = 86_400_000;
/** Of one tenant: nobody has more that are worth a line. */
const MOST_KEYS = 500;

/** The options, by the fields of the API that they are; `expires_at` is computed here. */
const OPTIONS: Record<string, string> = {
  name: "--name",
  scopes: "--scopes",
  organization_ids: "--organizations",
  allowed_addresses: "--from",
  overlap_seconds: "--overlap-seconds",
};

/** Refuses what the API would not take in a request's body. */
function checker(schema: TSchema): (body: Record<string, unknown>) => void {
  const problemsOf = validator(schema, "body");
  return (body) => {
    const [problem] = problemsOf(body);
    if (problem === undefined) return;
    const [, name, place] = /^(\w+)(?:\[(\d+)\])?/.exec(problem.field) ?? [];
    const which = place === undefined ? "" : `, number ${Number(place) + 1},`;
    throw new Error(`${OPTIONS[name ?? ""] ?? problem.field}${which} ${problem.message}`);
  };
}

const checkNew = checker(contract.createApiKey.body!);
const checkRotation = checker(contract.rotateApiKey.body!);

const listed = (text: string): string[] => text.split(",").map((part) => part.trim());

function whole(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new Error(`${text} is not a whole number`);
  return Number(text);
}

/** `parley key`: keys for programs, with the limits that the API gives them. */
export function keyCommand(withDatabase: WithDatabase, say: (line: string) => void): Command {
  const key = new Command("key").description("API keys");
  const asOperator = (tenant: string, work: (ctx: Context, operator: Caller) => Promise<void>) =>
    withDatabase(async (ctx) => {
      const tenantId = parseId("tenant", tenant);
      if (tenantId === undefined) throw new Error("--tenant is not a tenant's id");
      const operator = await operatorOf(ctx, tenantId);
      if (operator === undefined) throw new Error("There is no such tenant");
      ctx.audit.by({ tenantId });
      await work(ctx, operator);
    });
  key
    .command("create")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .option("--live", "a key that sends by real carriers; without it a test key, for simulated phones")
    .option("--name <name>", "what the key is for", "Key")
    .option(
      "--scopes <scopes>",
      "what it may do, as read,send or contacts:read,calls:write; default: everything",
      listed,
    )
    .option("--organizations <ids>", "organizations that it is limited to, org_...; default: the whole tenant", listed)
    .option("--from <addresses>", "addresses and networks that it may be used from, as 203.0.113.0/24", listed)
    .option("--expires-in-days <days>", "when it ends; default: never", whole)
    .description("create an API key and print it, this once")
    .action((options: New) =>
      asOperator(options.tenant, async (ctx, operator) => {
        const { text } = await createApiKey(ctx, operator, wanted(ctx, options));
        say(text);
      }),
    );
  key
    .command("rotate")
    .argument("<key id>", "key_...")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .option("--overlap-seconds <seconds>", "how long the old key works on", whole, 86_400)
    .description("replace an API key by a new one of the same powers, and print that, this once")
    .action((id: string, options: { tenant: string; overlapSeconds: number }) =>
      asOperator(options.tenant, async (ctx, operator) => {
        ctx.audit.note({ object: { kind: "api_key", id } });
        checkRotation({ overlap_seconds: options.overlapSeconds });
        const { text } = await rotateApiKey(ctx, operator, keyId(id), options.overlapSeconds * 1_000);
        say(text);
      }),
    );
  key
    .command("revoke")
    .argument("<key id>", "key_...")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .description("end an API key, on every node within a second")
    .action((id: string, options: { tenant: string }) =>
      asOperator(options.tenant, async (ctx, operator) => {
        ctx.audit.note({ object: { kind: "api_key", id } });
        const { name } = await revokeApiKey(ctx, operator, keyId(id));
        say(`The key "${name}" is revoked.`);
      }),
    );
  key
    .command("list")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .description("list a tenant's API keys, newest first, with what each may do and when it was used last")
    .action((options: { tenant: string }) =>
      asOperator(options.tenant, async (ctx, operator) => {
        const { items } = await listApiKeys(ctx, operator, { before: LAST_ID, limit: MOST_KEYS });
        for (const each of items) say(lineOf(each, ctx.now()));
      }),
    );
  return key;
}

function keyId(text: string): Uuid {
  const id = parseId("apiKey", text);
  if (id === undefined) throw new Error(`${text} is not a key's id: parley key list shows them`);
  return id;
}

function wanted(ctx: Context, { live, name, scopes = ["read", "write", "send", "admin"], ...limits }: New) {
  const unknown = scopes.find((scope) => !KEY_SCOPES.includes(scope as KeyScope));
  if (unknown !== undefined) throw new Error(`${unknown} is not a scope: read, write, send, admin, or contacts:read`);
  const { organizations, from, expiresInDays } = limits;
  checkNew({
    ...{ name, scopes },
    ...(organizations && { organization_ids: organizations }),
    ...(from && { allowed_addresses: from }),
  });
  return {
    ...{ name, scopes, mode: live ? ("live" as const) : ("test" as const) },
    organizationIds: organizations?.map((text) => {
      const id = parseId("organization", text);
      if (id === undefined) throw new Error(`${text} is not an organization's id`);
      return id;
    }),
    allowedAddresses: from,
    expiresAt: expiresInDays === undefined ? undefined : new Date(ctx.now().getTime() + expiresInDays * DAY_MS),
  };
}

const day = (at: Date): string => at.toISOString().slice(0, 16).replace("T", " ");

function lineOf(key: ApiKey, now: Date): string {
  const { revoked_at, expires_at, last_used_at } = key;
  const isOver = expires_at !== null && expires_at <= now;
  const state = revoked_at ? "revoked" : isOver ? "expired" : expires_at ? `until ${day(expires_at)}` : "works";
  return [
    ...[publicId("apiKey", key.id), key.mode, state, key.scopes.join(",")],
    key.allowed_addresses?.join(",") ?? "from anywhere",
    last_used_at ? `used ${day(last_used_at)}` : "never used",
    key.name,
  ].join("  ");
}
