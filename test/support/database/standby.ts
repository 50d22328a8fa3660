import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { give, readSecrets } from "#app/embedded-postgres/cluster.ts";
import { findPlace } from "#app/embedded-postgres/place.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { asAdmin, type OwnPostgres, serverAt } from "./own-postgres.ts";

/** A server that follows another, by streaming. */
export type Standby = OwnPostgres & {
  /** It goes on receiving what the primary does, and shows none of it. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
};

/** Starts one. It is a copy of the running primary's files, as `pg_basebackup` makes it, which the embedded PostgreSQL lacks. */
export async function startStandby(
  t: Owner,
  primary: OwnPostgres,
  settings: Readonly<Record<string, string>> = {},
): Promise<Standby> {
  const folder = mkdtempSync(join(tmpdir(), "parley-standby-"));
  chmodSync(folder, 0o711);
  const place = await findPlace(join(folder, "data"), join(folder, "system"), () => {});
  const data = join(place.folder, "cluster", "data");
  const { adminPassword } = await readSecrets(primary.place);
  const add = async (name: string, text: string) => {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    await give(place, join(data, name));
  };
  await asAdmin(primary.adminUrl, async (client) => {
    await client.query("select pg_backup_start('standby', true)");
    const copied = spawnSync("cp", ["-a", join(primary.place.folder, "cluster"), place.folder]);
    // A file that went away while it was copied is none of the backup.
    if (copied.error) throw copied.error;
    rmSync(join(data, "postmaster.pid"), { force: true });
    rmSync(join(data, "postmaster.opts"), { force: true });
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
    await add("backup_label", rows[0]!.labelfile);
  });
  const { hostname, port } = new URL(primary.adminUrl);
  const conninfo = `host=${hostname} port=${port} user=postgres password=${adminPassword} application_name=standby`;
  const own = Object.entries({ primary_conninfo: conninfo, ...settings }).map(
    ([name, value]) => `${name} = '${value}'\n`,
  );
  await add("postgresql.auto.conf", readFileSync(join(data, "postgresql.auto.conf"), "utf8") + own.join(""));
  await add("standby.signal", "");
  const server = await serverAt(t, place, {
    isNew: false,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  });
  const run = (text: string) =>
    asAdmin(server.adminUrl, async (client: pg.Client) => {
      await client.query(text);
    });
  return {
    ...server,
    pauseReplay: () => run("select pg_wal_replay_pause()"),
    resumeReplay: () => run("select pg_wal_replay_resume()"),
  };
}
