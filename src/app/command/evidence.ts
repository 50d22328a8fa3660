import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { normalizePhone } from "#domain/phones/phone.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import { evidenceKeys, makeEvidence } from "#operations/contacts/make-evidence.ts";
import { verifyEvidence } from "#operations/contacts/verify-evidence.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as contacts from "#store/contacts/contacts.ts";
import { writeByChild } from "./operator-file.ts";

type WithDatabase = (work: (ctx: Context) => Promise<void>) => Promise<void>;
type Say = (line: string) => void;
type Options = { tenant?: string; test?: boolean; recordings?: boolean; out?: string };

/** `parley evidence`: what is on record about a number, as a signed archive, and whether such an archive is as it was made. */
export function evidenceCommand(withDatabase: WithDatabase, say: Say): Command {
  const evidence = new Command("evidence")
    .description("a signed archive of all that is on record about a contact")
    .argument("[contact]", "a phone number, or a contact's id: lead_...")
    .option("--tenant <id>", "the tenant's id, tnt_...")
    .option("--test", "of test mode; without it of live mode")
    .option("--recordings", "with the recordings' files, and not their digests alone")
    .option("--out <file>", "where to write it; - is the standard output; by default evidence-<contact>.zip, here")
    .action((contact: string | undefined, options: Options) => {
      if (contact === undefined) throw new Error("Say whose: a phone number, or a contact's id");
      if (process.getuid?.() === 0 && options.out !== "-") return writeAsRoot(contact, options, say);
      return withDatabase((ctx) => write(ctx, contact, options, say));
    });
  evidence
    .command("verify")
    .argument("<file>", "an archive")
    .option("--key <fingerprint>", "of the key that it has to be signed with: parley doctor names it")
    .description("check an archive, without the database: it names the file and the entry that is not as it was made")
    .action((file: string, { key }: { key?: string }) => report(file, key, say));
  evidence
    .command("key")
    .description("print the keys that archives are signed with, the newest first")
    .action(() =>
      withDatabase(async (ctx) => {
        for (const { fingerprint, publicKey, isCurrent } of await evidenceKeys(ctx))
          say(`${fingerprint}${isCurrent ? " (signs now)" : ""}\n${publicKey.trimEnd()}`);
      }),
    );
  return evidence;
}

async function write(ctx: Context, contact: string, options: Options, say: Say): Promise<void> {
  const accountId = options.tenant === undefined ? undefined : parseId("tenant", options.tenant);
  const mode = options.test ? "test" : "live";
  const tenantId = accountId && (await tenants.inMode(ctx.db, accountId, mode));
  if (accountId === undefined || tenantId === undefined) throw new Error("--tenant is not a tenant's id");
  const nobody = { actorId: null, sessionId: null, address: null, userAgent: null, requestId: null };
  const by = {
    ...nobody,
    tenantId: accountId,
    id: ctx.newId(),
    mode,
    actor: "command",
    operation: "getEvidence",
    outcome: "done",
  } as const;
  const ids = await idsOf(ctx, tenantId, contact);
  if (ids.length > 1 && options.out !== undefined) {
    const named = ids.map((id) => publicId("contact", id)).join(", ");
    throw new Error(`${contact} is a contact of ${ids.length} organizations, and a file is of one: name ${named}`);
  }
  for (const id of ids) {
    const made = await makeEvidence(ctx, { tenantId, accountId, mode }, id, {
      by: { ...by, id: ctx.newId() },
      recordings: options.recordings === true,
    });
    const out = options.out ?? made.fileName;
    const to = createWriteStream(out, { mode: 0o600, ...(out === "-" && { fd: 1 }) });
    await pipeline(Readable.from(await made.make(), { objectMode: false }), to);
    if (out === "-") process.stderr.write(`${made.fileName}\n`);
    else say(out);
  }
}

/** Into a file of root's own, which a child writes that goes on as the user that Parley works as. */
async function writeAsRoot(contact: string, options: Options, say: Say): Promise<void> {
  const { tenant, test, recordings, out } = options;
  const flags = [...(tenant === undefined ? [] : ["--tenant", tenant]), ...(test ? ["--test"] : [])];
  if (recordings) flags.push("--recordings");
  const args = ["evidence", contact, ...flags, "--out", "-"];
  // The name by default has the contact's id, which the child knows.
  const nameOf = (said: string) => out ?? /^evidence-\w+\.zip$/m.exec(said)![0];
  const { file } = await writeByChild(out ?? "evidence", args, nameOf);
  say(file);
}

/** A number may be a contact's of several organizations: each has an archive. */
async function idsOf(ctx: Context, tenantId: Uuid, contact: string): Promise<Uuid[]> {
  const id = parseId("contact", contact);
  if (id !== undefined) return [id];
  const normal = normalizePhone(contact);
  if ("problem" in normal) throw new Error(`${contact} is no phone number and no contact's id: it ${normal.problem}`);
  const found = await contacts.ofPhone(ctx.db, tenantId, normal.phone);
  if (found.length === 0) throw new Error(`No contact of this tenant has the number ${normal.phone}`);
  return found.map((each) => each.id);
}

async function report(file: string, key: string | undefined, say: Say): Promise<void> {
  const read = (start: number, end: number) => createReadStream(file, { start, end: end - 1 });
  const zip = { size: (await stat(file)).size, read };
  const { fingerprint, files, links, unchained, fault } = await verifyEvidence(zip, key);
  if (fault) {
    say(`${file} is not as it was made: ${fault.file}: ${fault.what}.`);
    process.exitCode = 1;
    return;
  }
  const known = key === undefined ? " Compare it with the one that the maker names." : "";
  const loose = unchained === 0 ? "" : ` ${unchained} entries are in no chain: they rest on the signature alone.`;
  const counts = `${files} files, ${links} links of hash chains`;
  say(`${file} is whole: ${counts}, signed with the key ${fingerprint}.${loose}${known}`);
}
