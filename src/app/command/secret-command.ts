import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import type { Config } from "#app/settings/config.ts";
import { sealingKeysFile } from "#app/settings/sealing.ts";
import type { Context } from "#operations/context.ts";
import { addNewKey, readSealing, rotateSecrets } from "#operations/system/rotate-secrets.ts";
import type { CommandEntries, WithDatabase } from "./entries.ts";

export function secretCommand(withDatabase: WithDatabase, say: (line: string) => void): Command {
  const secret = new Command("secret").description("the keys that secrets in the database are sealed under");
  secret
    .command("status")
    .description("say which key counts, and which others something is still sealed under")
    .action(() =>
      withDatabase(async (ctx) => {
        const { current, known, inUse } = await readSealing(ctx);
        say(`Secrets are sealed under the key ${current}.`);
        const others = inUse.filter((id) => id !== current);
        if (others.length > 0) say(`Some are still sealed under ${others.join(", ")}: run \`parley secret rotate\`.`);
        const spare = known.filter((id) => id !== current && !inUse.includes(id));
        if (spare.length > 0) say(`Nothing here is sealed under ${spare.join(", ")}.`);
      }),
    );
  secret
    .command("rotate")
    .description("seal all secrets under a new key, while the service runs; safe to repeat after it was cut off")
    .action(() => withDatabase((ctx, config, entries) => rotate(ctx, config, entries, say)));
  return secret;
}

async function rotate(
  ctx: Context,
  config: Config,
  entries: CommandEntries,
  say: (line: string) => void,
): Promise<void> {
  await addNewKey(ctx, () => {
    if (config.sealingKeys !== undefined) {
      throw new Error(
        "PARLEY_SEALING_KEYS has no newer key than the one that counts: add one at its end on every machine, start them again, and repeat this",
      );
    }
    addKey(sealingKeysFile(config));
  });
  const done = await rotateSecrets(ctx);
  if (done === undefined) return say(`Everything is sealed under the key ${(await readSealing(ctx)).current} already.`);
  const [before, after] = [{ sealed_under: done.from }, { sealed_under: done.to }];
  await entries.inAll({ object: { kind: "sealing", id: null }, before, after, counts: { rows: done.resealed } });
  say(`Secrets are sealed under the key ${done.to} now; ${done.resealed} rows were sealed anew.`);
  if (done.from === done.to) return;
  const where = config.sealingKeys === undefined ? sealingKeysFile(config) : "PARLEY_SEALING_KEYS";
  say(
    done.from === ctx.sealingKeys.first
      ? `What PARLEY_SECRET_KEY alone gives opens none of them any more, but those of backups from before. ${where} is needed from now on: keep it as you keep the secret key.`
      : `The key ${done.from} opens none of them any more, but those of backups from before: take it out of ${where} once you need none of these.`,
  );
}

/** By one rename: a process reads the file whole, or as it was. */
function addKey(file: string): void {
  const before = existsSync(file) ? readFileSync(file, "utf8").trimEnd() : "";
  const lines = [...(before === "" ? [] : [before]), randomBytes(32).toString("base64url")];
  writeFileSync(`${file}.new`, `${lines.join("\n")}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  // Before anything is sealed under it the name is on the disk, too.
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}
