import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { majorVersion, program } from "./binaries.ts";
import type { Place } from "./place.ts";
import { readOrUndefined, run } from "./process.ts";

/** Of the cluster's superuser and of the service's own role. Kept in a file that only we can read. */
export type Secrets = { readonly adminPassword: string; readonly password: string };

export const dataFolder = (folder: string): string => join(folder, "cluster", "data");
const secretsFile = (cluster: string): string => join(cluster, "secrets.json");
const portFile = (folder: string): string => join(folder, "cluster", "port");

/** True when the place holds a cluster that these binaries can run; throws when another major version wrote it. */
export function hasCluster(place: Place): boolean {
  const written = readOrUndefined(join(dataFolder(place.folder), "PG_VERSION"))?.trim();
  if (written === undefined) return false;
  const ours = majorVersion(place.binaries.version);
  if (Number(written) === ours) return true;
  throw new Error(
    `The database in ${place.folder} was written by PostgreSQL ${written}, this Parley carries ${ours}: start the Parley release that wrote it and take its data along by dump and restore, or name a new folder in PARLEY_DATA_DIR.`,
  );
}

/**
 * Makes the cluster under another name and puts it in place by one rename, so that neither a crash nor a second
 * starter leaves half of one. It is synced to disk before that: the server's checkpoints would only ever sync
 * what the server itself has written (initdb takes 0.9 s so, 0.6 s without).
 */
export async function createCluster(place: Place): Promise<void> {
  const draft = join(place.folder, `new-${randomBytes(6).toString("hex")}`);
  const passwordFile = join(draft, "password");
  const secrets: Secrets = { adminPassword: randomPassword(), password: randomPassword() };
  try {
    await mkdir(join(draft, "data"), { recursive: true, mode: 0o700 });
    // For the server's user to get through to its data.
    if (place.account) await chmod(draft, 0o711);
    await give(place, join(draft, "data"));
    await writeFile(passwordFile, secrets.adminPassword, { mode: 0o600 });
    await give(place, passwordFile);
    await writeFile(secretsFile(draft), JSON.stringify(secrets), { mode: 0o600 });
    const { code, output } = await run(
      program(place.binaries, "initdb"),
      initdbArgs(draft, passwordFile),
      place.account,
    );
    if (code !== 0) throw new Error(`The embedded PostgreSQL could not be set up in ${place.folder}: ${output}`);
    await rm(passwordFile);
    await rename(draft, join(place.folder, "cluster"));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another starter was first; its cluster is as good as ours.
    if (!hasCluster(place)) throw error;
  }
}

function initdbArgs(draft: string, passwordFile: string): string[] {
  return [
    `--pgdata=${join(draft, "data")}`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // Sorts by code point and knows upper and lower case, the same on every machine and for ever.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--no-instructions",
  ];
}

export async function readSecrets(place: Place): Promise<Secrets> {
  const path = secretsFile(join(place.folder, "cluster"));
  try {
    return JSON.parse(await readFile(path, "utf8")) as Secrets;
  } catch (error) {
    throw new Error(
      `The passwords of the embedded database cannot be read, bring ${path} back: ${(error as Error).message}`,
    );
  }
}

/** The port of the last start: a restart keeps it where it can, so that addresses in use stay good. */
export const lastPort = (folder: string): number => Number(readOrUndefined(portFile(folder)) ?? 0);

export const savePort = (folder: string, port: number): Promise<void> =>
  writeFile(portFile(folder), String(port), { mode: 0o600 });

/** Lets the server's user have a file or folder of ours. No-op unless we are root. */
export async function give(place: Place, path: string): Promise<void> {
  if (place.account) await chown(path, place.account.uid, place.account.gid);
}

// Letters, digits, "-" and "_": the same text in an address and in SQL.
const randomPassword = (): string => randomBytes(24).toString("base64url");
