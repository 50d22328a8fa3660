import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { readJournals } from "#adapters/files/read-journals.ts";
import { JOURNAL } from "#app/context.ts";
import { readMark } from "#app/process/mark.ts";
import { openServer } from "#app/roles/database.ts";
import { settle } from "#app/roles/own-user.ts";
import { readConfig } from "#app/settings/config.ts";
import type { Account } from "#operations/restore/lift-fence.ts";
import { fenceReason, raiseFence } from "#operations/restore/raise-fence.ts";
import { lostLinks, lostOfBoth } from "#operations/system/lost-links.ts";
import { ownHeads } from "./audit.ts";
import { backUp, openBackup, restore } from "./backup.ts";
import type { Lock, Opener } from "./encryption.ts";
import type { WithDatabase } from "./entries.ts";
import { lift } from "./lift.ts";
import { refuseUnreadable, writeByChild } from "./operator-file.ts";

type Say = (line: string) => void;

const sum = (rows: Record<string, number>): number => Object.values(rows).reduce((all, n) => all + n, 0);

type Encryption = { encrypt?: boolean; passphraseFile?: string; recipient?: string[] };

export function backupCommand(say: Say): Command {
  return new Command("backup")
    .argument("<file>", "where to; - is the standard output")
    .option("--encrypt", "encrypt it in the age format, by --passphrase-file or --recipient")
    .option("--passphrase-file <file>", "a file with the pass-phrase, in its first line")
    .option("--recipient <keys...>", "public keys (age1...) of those who may open it")
    .description("write the whole database to one compressed, checksummed file, while the service runs")
    .action(async (file: string, options: Encryption) => {
      const lock = lockOf(options);
      if (process.getuid?.() === 0 && file !== "-") return backUpAsRoot(file, options, say);
      const config = readConfig();
      const note = file === "-" ? (line: string) => void process.stderr.write(`${line}\n`) : say;
      await settle({ ...config, roles: [] }, () => {});
      // As it is: a backup is what an update begins with.
      const database = await openServer(config, note);
      try {
        const rows = await backUp(config, database.sessionUrl, file, new Date(), lock);
        const keys = "Keep the secret key, and sealing-keys where there is one, apart from it.";
        note(`${file}: ${sum(rows)} rows of ${Object.keys(rows).length} tables${lock ? ", encrypted" : ""}. ${keys}`);
      } finally {
        await database.stop();
      }
    });
}

function lockOf({ encrypt, passphraseFile, recipient }: Encryption): Lock | undefined {
  if (passphraseFile !== undefined && recipient !== undefined)
    throw new Error("Give either --passphrase-file or --recipient: the age format has no file for both");
  if (recipient !== undefined) return { recipients: recipient };
  if (passphraseFile !== undefined) return { passphrase: firstLine(passphraseFile) };
  if (encrypt) throw new Error("--encrypt needs --passphrase-file or --recipient");
  return undefined;
}

/** Fewer characters are guessed in a day, whatever stretches them. */
const LEAST_PASSPHRASE = 12;

function firstLine(file: string): string {
  const line = readFileSync(file, "utf8").split("\n", 1)[0]!.trim();
  if (line.length < LEAST_PASSPHRASE)
    throw new Error(`the first line of ${file} has to be a pass-phrase of at least ${LEAST_PASSPHRASE} characters`);
  return line;
}

/** Into a file of root's own, which a child writes that goes on as the user whom the database belongs to. */
async function backUpAsRoot(file: string, options: Encryption, say: Say): Promise<void> {
  const { passphraseFile, recipient = [] } = options;
  const flags = [
    ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
    ...(recipient.length === 0 ? [] : ["--recipient", ...recipient]),
  ];
  const { said } = await writeByChild(file, ["backup", "-", ...flags], () => file);
  say(said.replace(/^-: /m, `${file}: `));
}

export function restoreCommand(say: Say): Command {
  return new Command("restore")
    .argument("<file>")
    .option("--passphrase-file <file>", "of an encrypted backup: a file with its pass-phrase, in its first line")
    .option("--identity-file <file>", "of an encrypted backup: a file with a private key (AGE-SECRET-KEY-1...)")
    .description("put a backup into a new database; nothing is sent until `parley fence lift`")
    .action(async (file: string, options: { passphraseFile?: string; identityFile?: string }) => {
      const config = readConfig();
      // As who started this, who may read what the database's user may not.
      const source = openBackup(file, openerOf(options));
      await settle({ ...config, roles: [] }, () => {});
      const database = await openServer(config, say);
      try {
        const { madeAt, rows } = await restore(config, database.sessionUrl, source, new Date());
        say(`${sum(rows)} rows of ${Object.keys(rows).length} tables are back, as of ${madeAt}.`);
        say(
          "The restore fence is up: nothing is sent until `parley fence lift` has accounted for what happened since.",
        );
      } finally {
        await database.stop();
      }
    });
}

function openerOf(options: { passphraseFile?: string; identityFile?: string }): Opener | undefined {
  if (options.identityFile !== undefined) {
    const lines = readFileSync(options.identityFile, "utf8").split("\n");
    return { identities: lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#")) };
  }
  return options.passphraseFile === undefined ? undefined : { passphrase: firstLine(options.passphraseFile) };
}

export function fenceCommand(withDatabase: WithDatabase, say: Say): Command {
  const fence = new Command("fence").description("the restore fence: while it is up nothing is sent");
  fence
    .command("status")
    .description("say whether it is up, and why")
    .action(() => withDatabase(async (ctx) => say(upOrDown(await fenceReason(ctx)))));
  fence
    .command("raise")
    .argument("<reason>")
    .option("--as-of <time>", "to when the database was put back, ISO 8601; without it `lift` asks for it")
    .description("stop all sending, as after a restore that no machine has a record of")
    .action((reason: string, options: { asOf?: string }) =>
      withDatabase(async (ctx, _config, { inAll }) => {
        const asOf = readAsOf(options.asOf);
        const isRaised = await raiseFence(ctx, { reason, asOf });
        const after = { up: true, as_of: asOf ?? null };
        if (isRaised) await inAll({ object: { kind: "fence", id: null }, after, reason });
        say(upOrDown(await fenceReason(ctx)));
      }),
    );
  fence
    .command("lift")
    .option("--journal <folders...>", "the journal folders of all machines (default: this data directory's)")
    .option("--as-of <time>", "to when the database was put back, where the fence does not say")
    .option("--accept-unknown", "lift it although texts left of campaigns that the database has never seen")
    .option(
      "--accept-missing-journal",
      "lift it although journals are missing: whatever only they record is sent a second time, also to people who have said STOP since",
    )
    .description("account for sends and opt-outs since the restored day, by the journals, and let sending go on")
    .action((options: LiftOptions) =>
      withDatabase(async (ctx, config, { inAll }) => {
        const reason = await fenceReason(ctx);
        const folders = options.journal ?? [join(config.dataDir, JOURNAL)];
        refuseUnreadable(options.journal ?? []);
        const account = await lift(ctx, readJournals(folders), {
          acceptUnknown: options.acceptUnknown === true,
          acceptMissing: options.acceptMissingJournal === true,
          asOf: readAsOf(options.asOf),
          seen: (cluster) => readMark(config.dataDir, cluster),
        });
        if (account.lifted && reason !== undefined) {
          const counts = {
            opt_outs: account.optOuts,
            opt_ins: account.optIns,
            erased: account.erased,
            reopened: account.reopened,
          };
          const lost = await lostLinks(ctx, ownHeads(config, folders));
          const object = { kind: "fence", id: null };
          await inAll(async (tenantId) => {
            const after = { up: false, ...(await lostOfBoth(ctx, tenantId, lost)) };
            return { object, after, reason, counts };
          });
        }
        report(account, join(config.dataDir, "unknown-sends.csv"), say);
      }),
    );
  return fence;
}

const upOrDown = (reason: string | undefined): string =>
  reason ? `The fence is up: ${reason}.` : "The fence is down.";

type LiftOptions = { journal?: string[]; asOf?: string; acceptUnknown?: boolean; acceptMissingJournal?: boolean };

function readAsOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new Error(`${text} is no time: write it as 2026-11-20T12:00:00Z`);
  return at;
}

function report(account: Account, file: string, say: Say): void {
  if (account.missing.length > 0) {
    for (const what of account.missing) say(`Missing: ${what}.`);
    if (!account.lifted && account.unknown.length === 0) {
      say(
        "The fence stays up: what these journals do not record would be sent a second time, also to people who have said STOP since. " +
          "Name the journals of all machines with --journal. If they are lost, --accept-missing-journal lifts it all the same.",
      );
      process.exitCode = 1;
      return;
    }
  }
  say(
    `Since then: ${account.optOuts} opt-outs, ${account.optIns} opt-ins, ${account.revoked} consents that are gone, ` +
      `${account.doNotCall} do-not-call numbers, ${account.erased} persons erased, ${account.campaigns} campaigns paused, resumed or deleted, ` +
      `${account.reopened} texts and calls to look up with their carrier.`,
  );
  if (account.unknown.length > 0) {
    const rows = account.unknown.map((text) =>
      [text.tenantId, text.at, text.phone, text.campaignId, text.messageId].join(","),
    );
    writeFileSync(file, `tenant,at,phone,campaign,message\n${rows.join("\n")}\n`, { mode: 0o600 });
    say(`${account.unknown.length} texts went to campaigns that the database has never seen: ${file} lists them.`);
  }
  if (account.lifted) say("The fence is down: sending goes on.");
  else {
    say(
      "The fence stays up. Lift it with --accept-unknown once you know that nobody will create these campaigns again.",
    );
    process.exitCode = 1;
  }
}
