import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Account, run } from "./process.ts";

type Log = (line: string) => void;

/** The system user that runs the server when we are root, which PostgreSQL refuses to run as, and the service where it can. */
export const SYSTEM_USER = "parley";

/** Who owns the cluster goes on owning it: in a rebuilt container the system user may have got another id. */
export async function ownerOf(own: string): Promise<Account> {
  const owner = await stat(join(own, "cluster", "data")).catch(() => undefined);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : undefined;
}

/** Of the system user, which is made where there is none. */
export async function systemAccount(log: Log): Promise<Account> {
  const existing = await accountOf(SYSTEM_USER);
  if (existing) return existing;
  // shadow's useradd where there is one, else busybox's adduser.
  const shadow = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  const made = await run("useradd", [...shadow, "--shell", "/usr/sbin/nologin", SYSTEM_USER]);
  const failed = made.code === 0 ? made : await run("adduser", ["-S", "-D", "-H", "-s", "/sbin/nologin", SYSTEM_USER]);
  const account = await accountOf(SYSTEM_USER);
  if (!account) {
    throw new Error(
      `PostgreSQL refuses to run as root, and the user "${SYSTEM_USER}" could not be made (${made.output || failed.output}): create it, start Parley as an ordinary user, or set DATABASE_URL.`,
    );
  }
  log(`created the system user "${SYSTEM_USER}", which runs the service and its database`);
  return account;
}

/** Undefined: there is no such user. */
export async function accountOf(name: string): Promise<Account> {
  const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
  return uid.code === 0 && gid.code === 0 ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}
