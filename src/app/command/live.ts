import { Command } from "commander";
import type { LiveCheck } from "#domain/sending/live-check.ts";
import { parseId, publicId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { checkLive } from "#operations/sending/check-live.ts";
import * as tenants from "#store/accounts/tenants.ts";

type WithDatabase = (work: (ctx: Context) => Promise<void>) => Promise<void>;

/** `parley live`: what has to be right before real phones are reached. Ends the process with 1 while something is not. */
export function liveCommand(withDatabase: WithDatabase, say: (line: string) => void): Command {
  return new Command("live")
    .option("--tenant <id>", "the tenant's id, tnt_...; default: the first tenant")
    .description("check what has to be right before real phones are reached, while the service runs")
    .action((options: { tenant?: string }) =>
      withDatabase(async (ctx) => {
        const accountId =
          options.tenant === undefined ? await tenants.first(ctx.db) : parseId("tenant", options.tenant);
        const tenantId = accountId && (await tenants.inMode(ctx.db, accountId, "live"));
        if (accountId === undefined || tenantId === undefined) {
          throw new Error(
            options.tenant === undefined ? "There is no tenant yet" : `There is no tenant ${options.tenant}`,
          );
        }
        say(`Going live, tenant ${publicId("tenant", accountId)}:`);
        const checks = await checkLive(ctx, { tenantId, mode: "live" });
        for (const line of checks.flatMap(linesOf)) say(line);
        const failed = checks.filter(({ ok }) => !ok).length;
        say("");
        if (failed === 0) return say("All is ready: real phones can be reached.");
        process.exitCode = 1;
        say(`Not ready: ${failed} of ${checks.length} checks ask for something.`);
      }),
    );
}

/** `public_address` as "public address (Main)" where it is about an account of that name. */
const titleOf = ({ name, carrier }: LiveCheck): string =>
  `${name.replaceAll("_", " ")}${carrier === null ? "" : ` (${carrier.name})`}`;

function linesOf(check: LiveCheck): string[] {
  const { ok, found, problem, remedy } = check;
  if (ok) return [`ok   ${titleOf(check)}${found === null ? "" : `: ${found}`}`];
  return [`FAIL ${titleOf(check)}: ${problem}`, ...(remedy === null ? [] : [`     What to do: ${remedy}`])];
}
