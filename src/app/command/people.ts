import { Command, Option } from "commander";
import { readConfig } from "#app/settings/config.ts";
import { ROLES, type Role, roleOf } from "#contract/accounts/roles.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import { LAST_ID } from "#domain/values/paging.ts";
import { inviteUser, resetFactors } from "#operations/accounts/change-user.ts";
import { createOrganization } from "#operations/accounts/create-organization.ts";
import { createUser } from "#operations/accounts/create-user.ts";
import { operatorOf } from "#operations/accounts/operator.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import type { WithDatabase } from "./entries.ts";

type Options = {
  email: string;
  permission: Role | "member";
  name?: string | undefined;
  tenant?: string | undefined;
};

/** `parley user create`: somebody for the console, by an invitation that the operator hands on. */
export function userCommand(withDatabase: WithDatabase, say: (line: string) => void): Command {
  const user = new Command("user").description("people who use the console");
  user
    .command("create")
    .requiredOption("--email <address>", "what the user signs in with")
    .addOption(
      new Option("--permission <permission>", "what the user may do").choices([...ROLES, "member"]).default("manager"),
    )
    .option("--name <name>", "the user's name; default: the address's first part")
    .option("--tenant <id>", "the tenant's id, tnt_...; default: the first tenant")
    .description(
      "create a user, or find the one of this address, and print a link to set a password by, once, within 72 hours",
    )
    .action((options: Options) =>
      withDatabase(async (ctx, _config, { another }) => {
        const { baseUrl, port } = readConfig();
        const token = await invite(ctx, another, options);
        say(`${baseUrl ?? `http://localhost:${port}`}/console/invitation#token=${token}`);
      }),
    );
  user
    .command("reset-factors")
    .requiredOption("--email <address>", "what the user signs in with")
    .option("--tenant <id>", "the tenant's id, tnt_...; default: the first tenant")
    .description("remove all second factors of a user who has lost them, and end the user's sessions")
    .action((options: Pick<Options, "email" | "tenant">) =>
      withDatabase(async (ctx) => {
        const operator = await operatorFor(ctx, options);
        const known = await users.byEmail(ctx.db, operator.tenantId, options.email);
        if (!known) throw new Error("There is no user of this address");
        const removed = await resetFactors(ctx, operator, known.id);
        say(`${removed} ${removed === 1 ? "factor is" : "factors are"} removed; the user is signed out everywhere.`);
      }),
    );
  return user;
}

async function operatorFor(ctx: Context, { email, tenant }: Pick<Options, "email" | "tenant">): Promise<Caller> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Error("--email is not an e-mail address");
  const tenantId = tenant === undefined ? await tenants.first(ctx.db) : parseId("tenant", tenant);
  const operator = tenantId === undefined ? undefined : await operatorOf(ctx, tenantId);
  if (operator === undefined) throw new Error("There is no such tenant");
  ctx.audit.by({ tenantId: operator.accountId });
  return operator;
}

/** An organization, a user and an invitation are made by operations of their own, each with its entry in the audit log. */
async function invite(first: Context, another: () => Context, options: Options): Promise<string> {
  const { email, permission, name, tenant } = options;
  const operator = await operatorFor(first, { email, tenant });
  const next = () => {
    const ctx = another();
    ctx.audit.by({ tenantId: operator.accountId });
    return ctx;
  };
  const ctx = next();
  const known = await users.byEmail(ctx.db, operator.tenantId, email);
  const fields = { name: name ?? email.split("@")[0]!, email, permission: roleOf(permission) };
  const { id } = known ?? (await createUser(next(), operator, await organizationOf(ctx, operator), fields));
  return (await inviteUser(next(), operator, id)).token;
}

/** The tenant's newest organization; where it has none yet, one of this name. */
async function organizationOf(ctx: Context, operator: Caller): Promise<Uuid> {
  const [newest] = await organizations.list(ctx.db, operator.tenantId, {
    before: LAST_ID,
    limit: 1,
    name: undefined,
    withArchived: true,
  });
  return (newest ?? (await createOrganization(ctx, operator, { name: "Console" }))).id;
}
