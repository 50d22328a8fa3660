import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { accountOf, ownerOf, systemAccount } from "#app/embedded-postgres/account.ts";
import { findBinaries } from "#app/embedded-postgres/binaries.ts";
import { run } from "#app/embedded-postgres/process.ts";
import { keepPrivate, type Owner, othersIn } from "#app/process/data-folder.ts";
import { type Config, ConfigError } from "#app/settings/config.ts";

type Say = (line: string) => void;
type User = Owner & { name: string };

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** What a process reads long after its start, in every part of a checkout that may have modes of its own. */
const READ_LATE = [
  "bin/parley.ts",
  "src/app/roles/worker.ts",
  "contract/values/validate.ts",
  "data/area-codes.csv",
  "package.json",
  "node_modules/pg/package.json",
];

/** Ports that root alone may take. */
const LAST_OF_ROOT = 1023;

/** While root's cluster lies in its data directory, the server's user has to get through to it. */
const FOR_THE_SERVER = ["", "postgres", join("postgres", "cluster")];

/**
 * Makes the data directory private, and goes on as an unprivileged user where we are root: the directory is given to that user first, and a port
 * that only root may take is taken (the answer, for the API to listen on). Stays root, and says why, where that user could not read our
 * files: they are read all the time, by children too, and a copy of them elsewhere would be another release's tomorrow.
 */
export async function settle(config: Config, say: Say): Promise<Server | undefined> {
  process.umask(0o077);
  // A child is what its parent is, and the data directory has been seen to.
  if (process.send) return undefined;
  if (process.getuid?.() !== 0) {
    report(config, keepPrivate(config.dataDir), say);
    return undefined;
  }
  const stay = () =>
    report(config, keepPrivate(config.dataDir, { owner: { uid: 0, gid: 0 }, traversable: FOR_THE_SERVER }), say);
  if (config.user === "root") {
    stay();
    return undefined;
  }
  const user = await userOf(config, say);
  const why = typeof user === "string" ? user : await whyNot(config, user);
  if (typeof user === "string" || why !== undefined) {
    stay();
    say(`Parley goes on as root: ${why}.`);
    return undefined;
  }
  // Its programs may lack what root alone may add beside them.
  if (!config.databaseUrl) await findBinaries();
  report(config, keepPrivate(config.dataDir, { owner: user }), say);
  const held = config.roles.includes("api") ? await holdPort(config) : undefined;
  become(user);
  say(`Started by root, Parley goes on as the user "${user.name}" (id ${user.uid}), who owns ${config.dataDir}.`);
  return held;
}

/** The user to go on as, or why there is none. */
async function userOf(config: Config, say: Say): Promise<User | string> {
  const owner = await ownerOf(join(config.dataDir, "postgres"));
  if (config.user !== undefined) {
    const named = await accountOf(config.user);
    if (!named) throw new ConfigError([`PARLEY_USER names ${config.user}, whom this machine does not have`]);
    if (owner && owner.uid !== named.uid) {
      throw new ConfigError([
        `PARLEY_USER names ${config.user}, but the database in ${config.dataDir} belongs to the user with id ${owner.uid}: stop Parley and give it postgres/ whole, or unset PARLEY_USER`,
      ]);
    }
    return { ...named, name: config.user };
  }
  if (owner) return { ...owner, name: (await run("id", ["-un", String(owner.uid)])).output.split("\n")[0] || "?" };
  try {
    return { ...(await systemAccount(say))!, name: "parley" };
  } catch (error) {
    return `there is no other user (${(error as Error).message})`;
  }
}

/** Why this user cannot do our work; undefined when it can. Tried as that user: modes, ACLs, mounts and sandboxes all count. */
async function whyNot(config: Config, user: User): Promise<string | undefined> {
  const account = { uid: user.uid, gid: user.gid };
  const advice = "Put Parley where that user can, such as /opt/parley, or start it as an ordinary user";
  const code = ["-c", 'for file; do [ -r "$file" ] || exit 1; done; exec "$0" --version', process.execPath];
  const files = READ_LATE.map((file) => join(ROOT, file));
  if ((await run("/bin/sh", [...code, ...files], account)).code !== 0)
    return `the user "${user.name}" cannot read its files in ${ROOT.replace(/\/$/, "")}. ${advice}`;
  const others = othersIn(config.dataDir);
  if (others && others.length > 0)
    return `the data directory ${config.dataDir} holds files that are not Parley's (${others.slice(0, 3).join(", ")}), and is not given away. Name one of its own in PARLEY_DATA_DIR`;
  const made = others === undefined;
  if (made) keepPrivate(config.dataDir, { owner: user });
  const above = await run("/bin/sh", ["-c", '[ -x "$1" ]', "sh", join(config.dataDir, "..")], account);
  return above.code === 0
    ? undefined
    : `the user "${user.name}" cannot reach the data directory ${config.dataDir}. Name another in PARLEY_DATA_DIR`;
}

function become({ uid, gid, name }: User): void {
  // The groups that the machine gives the user, by name; one that has none keeps its own group alone.
  if (name === "?") process.setgroups!([gid]);
  else (process as unknown as { initgroups(user: string, group: number): void }).initgroups(name, gid);
  process.setgid!(gid);
  process.setuid!(uid);
}

/** Takes a port that nobody but root may, for as long as the process lives. */
async function holdPort({ host, port }: Config): Promise<Server | undefined> {
  if (port === 0 || port > LAST_OF_ROOT) return undefined;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  return server;
}

function report({ dataDir }: Config, { narrowed, given }: { narrowed: number; given: number }, say: Say): void {
  if (narrowed > 0) say(`${narrowed} files and folders of ${dataDir} could be read by others: they can no more.`);
  if (given > 0) say(`${given} files and folders of ${dataDir} were given to the user that Parley goes on as.`);
}
