import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { backUp, openBackup, restore } from "#app/command/backup.ts";
import { readConfig } from "#app/settings/config.ts";
import { cloneDatabase, emptyDatabase } from "#test/support/database/database.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

const run = promisify(execFile);
const NOW = new Date("2026-11-20T12:00:00Z");
const TENANT = "018f0000-0000-7000-8000-000000000001";
const PASSPHRASE = "correct horse battery staple";

function inFolder() {
  const folder = aFolder("encrypted");
  return { folder, file: join(folder, "backup.age"), config: readConfig({ PARLEY_DATA_DIR: join(folder, "data") }) };
}

/** More than some of age's pieces of 64 KiB. */
async function filled(t: TestContext): Promise<string> {
  const url = await cloneDatabase(t);
  const client = await openClient(t, url);
  await client.query(
    `insert into tenants (id, name, created_at, mode, account_id, other_id)
     values ('${TENANT}', 'Acme', now(), 'test', '${TENANT}', gen_random_uuid())`,
  );
  await client.query(
    `insert into organizations (tenant_id, id, name, created_at)
     select '${TENANT}', gen_random_uuid(), 'Organization ' || gen_random_uuid(), now() from generate_series(1, 20000)`,
  );
  return url;
}

async function isUntouched(t: TestContext, url: string): Promise<boolean> {
  const client = await openClient(t, url);
  return (await client.query("select to_regclass('tenants') is null as untouched")).rows[0].untouched;
}

test("a backup encrypted by a pass-phrase is restored by it alone, and one that was cut off or changed is refused with nothing written", async (t) => {
  const { file, config } = inFolder();
  const from = await filled(t);
  const saved = await backUp(config, from, file, NOW, { passphrase: PASSPHRASE });
  const whole = readFileSync(file);
  assert.match(whole.toString("latin1", 0, 40), /^age-encryption\.org\/v1\n-> scrypt /);
  assert.ok(whole.length > 300_000, "several pieces");
  const to = await emptyDatabase(t);
  const refused = async (what: RegExp, passphrase = PASSPHRASE) => {
    await assert.rejects(restore(config, to, openBackup(file, { passphrase }), NOW), what);
    assert.ok(await isUntouched(t, to));
  };

  assert.throws(() => openBackup(file), /is encrypted: name what opens it by --passphrase-file or --identity-file/);
  await refused(
    /^Error: the pass-phrase is not the one that this backup was encrypted for$/,
    "correct horse battery stable",
  );
  // At the end of a piece, in the middle of one, and within the head.
  for (const length of [whole.length - 1, whole.length - 100_000, 200]) {
    writeFileSync(file, whole.subarray(0, length));
    await refused(/is not a whole backup|its head is damaged/);
  }
  const changed = Buffer.from(whole);
  changed[150_000]! ^= 1;
  writeFileSync(file, changed);
  await refused(/is not a whole backup/);
  writeFileSync(file, whole);
  const { rows } = await restore(config, to, openBackup(file, { passphrase: PASSPHRASE }), NOW);
  assert.deepEqual(rows, saved);
});

test("a backup for a public key is made without the private one, and read by it alone, by any program of the age format", async (t) => {
  const { folder, file, config } = inFolder();
  const from = await filled(t);
  const [identity, other] = [await generateIdentity(), await generateIdentity()];
  const recipients = [await identityToRecipient(identity)];
  const env = processEnv({ DATABASE_URL: from, PARLEY_DATA_DIR: config.dataDir });
  const command = (...args: string[]) => run(process.execPath, ["bin/parley.ts", ...args], { cwd: root, env });

  const { stdout } = await command("backup", file, "--recipient", recipients[0]!);

  assert.match(stdout, /: \d+ rows of \d+ tables, encrypted\. /);
  const opening = new Decrypter();
  opening.addIdentity(identity);
  const text = gunzipSync(await opening.decrypt(readFileSync(file))).toString();
  assert.match(text, /^-- parley backup /);
  const to = await emptyDatabase(t);
  await assert.rejects(
    restore(config, to, openBackup(file, { identities: [other] }), NOW),
    /the private key is not the one that this backup was encrypted for/,
  );
  assert.ok(await isUntouched(t, to));
  const keys = join(folder, "identity.txt");
  writeFileSync(keys, `# created by age-keygen\n${identity}\n`);
  const back = await run(process.execPath, ["bin/parley.ts", "restore", file, "--identity-file", keys], {
    cwd: root,
    env: { ...env, DATABASE_URL: to },
  });
  assert.match(back.stdout, /rows of \d+ tables are back/);
});

test("what is asked for in part, or by no key, is refused with one sentence and writes nothing", async (t) => {
  const { folder, file, config } = inFolder();
  const env = processEnv({ DATABASE_URL: await cloneDatabase(t), PARLEY_DATA_DIR: config.dataDir });
  const short = join(folder, "short");
  writeFileSync(short, "secret\n");
  for (const [flags, what] of [
    [["--encrypt"], /^--encrypt needs --passphrase-file or --recipient\n$/],
    [["--recipient", "age1nobody"], /^age1nobody is no public key of age: it begins with age1\n$/],
    [["--passphrase-file", short], /^the first line of .* has to be a pass-phrase of at least 12 characters\n$/],
  ] as const) {
    const failed = run(process.execPath, ["bin/parley.ts", "backup", file, ...flags], { cwd: root, env });
    await assert.rejects(failed, (error: Error & { stderr: string }) => what.test(error.stderr));
    assert.throws(() => readFileSync(file), { code: "ENOENT" });
  }
});
