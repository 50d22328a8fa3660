import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** A line of /proc/self/mountinfo, as far as it matters. */
type Mount = { readonly at: string; readonly type: string };

/** What `parley doctor` finds: a problem with what to do, or null. */
export type Finding = readonly [name: string, problem: string | null];

type Read = (path: string) => string | undefined;

/** By whom a process was put into a container. */
const MARKS = ["/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io"];
/** cgroup 2, then 1. */
const MEMORY = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
/** What containers have for a root. */
const LAYERED = /^(overlay|fuse\.fuse-overlayfs|aufs|btrfs|zfs)$/;
/** File systems that are gone with the container, or the machine. */
const IN_MEMORY = new Set(["tmpfs", "ramfs"]);
const MB = 1_048_576;
/** A process of ours needs this much for its work, PostgreSQL as much again. */
const ROLE_MB = 320;
const DATABASE_MB = 384;
/** Sessions, calls and files: each is one. */
const LEAST_FILES = 4_096;
const DAY_MS = 86_400_000;

const readFile: Read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** What a container, or a limit of the system's, may lack for this service. */
export function surroundings(
  { dataDir, roles, embedded, releasedAt }: { dataDir: string; roles: number; embedded: boolean; releasedAt: Date },
  now: Date,
  { read = readFile, isThere = exists }: { read?: Read; isThere?: (path: string) => boolean } = {},
): Finding[] {
  const found: Finding[] = [];
  const mounts = mountsOf(read("/proc/self/mountinfo") ?? "");
  // A machine whose disk was made of an image has the marks too, but a disk of its own for a root.
  if (MARKS.some(isThere) && LAYERED.test(mountOf("/", mounts)?.type ?? ""))
    found.push(["container: data directory is a volume", volumeProblem(dataDir, mounts)]);
  const limit = memoryLimit(read);
  if (limit !== undefined) {
    const needed = roles * ROLE_MB + (embedded ? DATABASE_MB : 0);
    const low = `${Math.floor(limit / MB)} MB for ${roles} ${roles === 1 ? "role" : "roles"}${embedded ? " and the embedded database" : ""}: give it ${needed} MB or more`;
    found.push(["memory limit", limit < needed * MB ? low : null]);
  }
  // The embedded database has the clock of this very machine: that one cannot say that it is wrong.
  const early = releasedAt.getTime() - now.getTime() > DAY_MS;
  found.push([
    "date",
    early
      ? `it is ${now.toISOString().slice(0, 10)} here, before this release was made: set the machine's clock`
      : null,
  ]);
  const files = Number(/^Max open files\s+(\d+)/m.exec(read("/proc/self/limits") ?? "")?.[1] ?? LEAST_FILES);
  const few = `${files} may be open at once: raise the limit (ulimit -n, LimitNOFILE, --ulimit nofile) to ${LEAST_FILES} or more`;
  found.push(["open files", files < LEAST_FILES ? few : null]);
  return found;
}

function volumeProblem(dataDir: string, mounts: readonly Mount[]): string | null {
  const mount = mountOf(resolve(dataDir), mounts);
  if (mount === undefined || mount.at === "/")
    return `${dataDir} lies in the container's own layer, and is gone with it: mount a volume there`;
  return IN_MEMORY.has(mount.type) ? `${dataDir} lies in memory (${mount.type}): mount a volume that lasts` : null;
}

/** `36 35 98:0 /root /mount rw,noatime shared:1 - ext4 /dev/sda rw`: spaces of a path are written as \040. */
function mountsOf(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const at = before.split(" ")[4];
    return at === undefined ? [] : [{ at: at.replaceAll("\\040", " "), type: after.split(" ")[0] ?? "" }];
  });
}

/** The innermost, and of two at one place the later one, which covers the other. */
function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  const around = mounts.filter(({ at }) => at === "/" || path === at || path.startsWith(`${at}/`));
  return around.reduce<Mount | undefined>(
    (best, mount) => (!best || mount.at.length >= best.at.length ? mount : best),
    undefined,
  );
}

/** In bytes; undefined: none. cgroup 1 writes a number beyond all memory for none. */
function memoryLimit(read: Read): number | undefined {
  const text = MEMORY.map(read).find((found) => found !== undefined);
  const limit = Number(text ?? "max");
  return Number.isFinite(limit) && limit > 0 && limit < 2 ** 50 ? limit : undefined;
}
