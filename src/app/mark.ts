import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How far a database had come when this machine last saw it; `cluster` tells one database from another. */
export type Mark = { cluster: string; mark: number };

const fileOf = (dataDir: string) => join(dataDir, "mark.json");

/** Undefined on a machine that has seen no database yet. */
export function readMark(dataDir: string): Mark | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), "utf8")) as Mark;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw new Error(`${fileOf(dataDir)} cannot be read: ${(error as Error).message}`);
  }
}

/** Whole or not at all, and never back: the processes of a machine write it by turns, and the database may be another day's. */
export function writeMark(dataDir: string, it: Mark): void {
  const seen = readMark(dataDir);
  if (seen?.cluster === it.cluster && seen.mark >= it.mark) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const mine = `${fileOf(dataDir)}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(it), { mode: 0o600 });
  renameSync(mine, fileOf(dataDir));
}
