import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type pg from "pg";
import { onServer } from "./citus.ts";

const MEGABYTES = 16;

/** A disk of its own takes the rights of root. */
export const isFillable = (): boolean => process.platform === "linux" && process.getuid?.() === 0;

function must(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}

export type SmallDisk = {
  /** Leaves no room: a table that needs a page more gets none. */
  fill(): void;
  /** Gives the room back. */
  empty(): void;
};

/** Has one server of a cluster keep its part of some tables on a small disk. `client` is the coordinator's, of the database that it is about. */
export async function smallDisk(
  t: TestContext,
  client: pg.Client,
  port: number,
  tables: readonly string[],
): Promise<SmallDisk> {
  const { rows: shards } = await client.query<{ name: string; host: string }>(
    "select shard_name as name, nodename as host from citus_shards where table_name = any($1::regclass[]) and nodeport = $2",
    [tables, port],
  );
  const server = { host: shards[0]!.host, port };
  const space = `small_${randomUUID().replaceAll("-", "")}`;
  const folder = mkdtempSync(join(tmpdir(), "parley-disk-"));
  const [{ data_directory: data }] = (await onServer(server, "postgres", "show data_directory")) as [
    { data_directory: string },
  ];
  const { uid, gid } = statSync(data);
  must("mount", "-t", "tmpfs", "-o", `size=${MEGABYTES}m,mode=0700,uid=${uid},gid=${gid}`, "tmpfs", folder);
  await onServer(server, "postgres", `create tablespace ${space} location '${folder}'`);
  // The database is dropped by then: what was asked for first is done first.
  t.after(async () => {
    await onServer(server, "postgres", `drop tablespace ${space}`);
    must("umount", folder);
    rmdirSync(folder);
  });
  await onServer(
    server,
    client.database!,
    "set citus.enable_manual_changes_to_shards = on",
    ...shards.map(({ name }) => `alter table ${name} set tablespace ${space}`),
  );
  const ballast = join(folder, "ballast");
  return {
    fill() {
      const block = Buffer.alloc(64 * 1024);
      try {
        for (;;) writeFileSync(ballast, block, { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    empty: () => rmSync(ballast, { force: true }),
  };
}
