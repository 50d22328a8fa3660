import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { readJournals } from "#adapters/files/read-journals.ts";
import { JOURNAL } from "#app/context.ts";
import type { Config } from "#app/settings/config.ts";
import type { AuditVerdict } from "#domain/accounts/audit-file.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import {
  exportAuditLog,
  readAuditFile,
  recordedHeads,
  verifyAudit,
  verifyAuditLog,
} from "#operations/accounts/verify-audit.ts";
import type { Context } from "#operations/context.ts";
import { find } from "#store/accounts/tenants.ts";

type WithDatabase = (work: (ctx: Context, config: Config) => Promise<void>) => Promise<void>;
type Say = (line: string) => void;

export function auditCommand(withDatabase: WithDatabase, say: Say): Command {
  const audit = new Command("audit").description("the audit log: who changed what");
  audit
    .command("verify")
    .argument("[file]", "an exported log; without it, the one in the database")
    .option("--tenant <id>", "the tenant's id, tnt_..., of the database")
    .option("--journal <folders...>", "the journal folders of all machines, which know how long the log was")
    .description(
      "follow the hash chain from the first entry to the last, and name the first that is not as it was written",
    )
    .action(async (file: string | undefined, options: { tenant?: string; journal?: string[] }) => {
      if (file !== undefined) {
        const [tenantId, verdict] = await verifyFile(file, options.journal ?? []);
        return report(say, publicId("tenant", tenantId), verdict);
      }
      await withDatabase(async (ctx, config) => {
        const tenantId = tenantOf(options.tenant);
        const other = (await find(ctx.db, tenantId))?.other_id;
        if (other === undefined) throw new Error("There is no such tenant");
        // The other mode's chain has its consents, and nothing of the audit log.
        for (const [id, of] of [
          [tenantId, publicId("tenant", tenantId)],
          [other, `the other mode of ${publicId("tenant", tenantId)}`],
        ] as const) {
          const heads = await recordedHeads(readJournals(options.journal ?? [join(config.dataDir, JOURNAL)]), id);
          report(say, of, await verifyAuditLog(ctx, id, heads));
        }
      });
    });
  audit
    .command("export")
    .requiredOption("--tenant <id>", "the tenant's id, tnt_...")
    .description("write the whole log to the standard output, a line of JSON for each entry, as `verify` reads it")
    .action((options: { tenant: string }) =>
      withDatabase(async (ctx) => {
        for await (const line of exportAuditLog(ctx, tenantOf(options.tenant))) say(line);
      }),
    );
  return audit;
}

function tenantOf(given: string | undefined): Uuid {
  const tenantId = given === undefined ? undefined : parseId("tenant", given);
  if (tenantId === undefined) throw new Error("--tenant is not a tenant's id");
  return tenantId;
}

/** Needs neither the database nor the settings: another machine will do. */
async function verifyFile(file: string, journals: readonly string[]): Promise<[Uuid, AuditVerdict]> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  const { tenantId, lines: links, recorded } = await readAuditFile(lines);
  if (journals.length > 0) recorded.push(...(await recordedHeads(readJournals([...journals]), tenantId)));
  return [tenantId, await verifyAudit(tenantId, links, recorded)];
}

function report(say: Say, of: string, { links, entries, consents, head, fault }: AuditVerdict): void {
  if (fault) {
    say(`The audit log of ${of} is wrong from link ${fault.seq} on: ${fault.what}.`);
    process.exitCode = 1;
    return;
  }
  say(
    `The audit log of ${of} is whole: ${links} links, ${entries} entries, ${consents} consents, head ${head.hash.toString("hex")}.`,
  );
}
