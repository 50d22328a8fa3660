import { readdirSync, readFileSync } from "node:fs";

/** The processes that a process has started, and that have not been left to another. Linux only. */
export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => {
      try {
        const stat = readFileSync(`/proc/${id}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false;
      }
    });
}

/** All that a process has started, and what those have started. */
export const startedBy = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...startedBy(child)]);
