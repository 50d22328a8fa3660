import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { readHeads } from "#adapters/files/head-file.ts";
import { readJournals } from "#adapters/files/read-journals.ts";
import { AUDIT_HEADS, JOURNAL } from "#app/context.ts";
import type { Config } from "#app/settings/config.ts";
import type { AuditVerdict } from "#domain/accounts/audit-file.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import {
  exportAuditLog,
  headsOfAll,
  readAuditFile,
  recordedHeads,
  verifyAudit,
  verifyAuditLog,
} from "#operations/accounts/verify-audit.ts";
import type { Context } from "#operations/context.ts";
import type { ReadJournals } from "#ports/journal.ts";
import { find } from "#store/accounts/tenants.ts";
import { openOwn } from "./operator-file.ts";

type WithDatabase = (work: (ctx: Context, config: Config) => Promise<void>) => Promise<void>;
type Say = (line: string) => void;

export function auditCommand(withDatabase: WithDatabase, say: Say): Command {
  const audit = new Command("audit").description("the audit log: who changed what");
  audit
    .command("verify")
    .argument("[file]", "an exported log; without it, the one in the database")
    .option("--tenant <id>", "the tenant's id, tnt_..., of the database")
    .option("--journal <folders...>", "the journal folders of all machines, which know how long the log was")
    .option("--heads <file>", "audit-heads.ndjson of a machine, which knows how long it was on each day")
    .description(
      "follow the hash chain from the first entry to the last, and name the first that is not as it was written",
    )
    .action(async (file: string | undefined, options: { tenant?: string; journal?: string[]; heads?: string }) => {
      if (file !== undefined) {
        const [tenantId, verdict] = await verifyFile(file, headsIn(options.journal ?? [], options.heads));
        return report(say, publicId("tenant", tenantId), verdict);
      }
      const tenantId = tenantOf(options.tenant);
      // Those of whoever runs this are read as that user, who may not be the one that the work is done as.
      const isNamed = options.journal !== undefined || options.heads !== undefined;
      const named = isNamed ? await headsOfAll(headsIn(options.journal ?? [], options.heads)) : undefined;
      await withDatabase(async (ctx, config) => {
        const other = (await find(ctx.db, tenantId))?.other_id;
        if (other === undefined) throw new Error("There is no such tenant");
        const heads = named ?? (await headsOfAll(ownHeads(config)));
        const own = await verifyAuditLog(ctx, tenantId, heads.get(tenantId) ?? []);
        report(say, publicId("tenant", tenantId), own);
        // The other mode's chain has its consents, and nothing of the audit log: what a restore lost of it is in this one.
        const theirs = await verifyAuditLog(ctx, other, heads.get(other) ?? [], own.otherRestores);
        report(say, `the other mode of ${publicId("tenant", tenantId)}`, theirs);
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

/** What journals and a file of daily heads know of the chains. */
const headsIn = (journals: readonly string[], file: string | undefined): ReadJournals =>
  async function* (wanted) {
    if (file !== undefined && !existsSync(file)) throw new Error(`${file} is not there`);
    yield* readJournals([...journals])(wanted);
    if (file !== undefined) yield* readHeads(file)(wanted);
  };

/** The same of this machine. */
export const ownHeads = ({ dataDir }: Pick<Config, "dataDir">, journals = [join(dataDir, JOURNAL)]): ReadJournals =>
  async function* (wanted) {
    yield* readJournals(journals)(wanted);
    yield* readHeads(join(dataDir, AUDIT_HEADS))(wanted);
  };

function tenantOf(given: string | undefined): Uuid {
  const tenantId = given === undefined ? undefined : parseId("tenant", given);
  if (tenantId === undefined) throw new Error("--tenant is not a tenant's id");
  return tenantId;
}

/** Needs neither the database nor the settings: another machine will do. */
async function verifyFile(file: string, heads: ReadJournals): Promise<[Uuid, AuditVerdict]> {
  const lines = createInterface({ input: openOwn(file, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
  const { tenantId, lines: links, recorded } = await readAuditFile(lines);
  recorded.push(...(await recordedHeads(heads, tenantId)));
  return [tenantId, await verifyAudit(tenantId, links, recorded)];
}

function report(say: Say, of: string, { links, entries, consents, head, restores, fault }: AuditVerdict): void {
  for (const { at, from, to, hash } of restores)
    say(
      `A restore was accounted for at ${at.toISOString()}: links ${from} to ${to} of before are lost, the last ${hash}.`,
    );
  if (fault) {
    say(`The audit log of ${of} is wrong from link ${fault.seq} on: ${fault.what}.`);
    process.exitCode = 1;
    return;
  }
  say(
    `The audit log of ${of} is whole: ${links} links, ${entries} entries, ${consents} consents, head ${head.hash.toString("hex")}.`,
  );
}
