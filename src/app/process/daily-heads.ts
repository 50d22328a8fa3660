import { existsSync, statSync } from "node:fs";
import { appendHeads } from "#adapters/files/head-file.ts";
import type { Context } from "#operations/context.ts";
import { chainHeads } from "#operations/system/chain-records.ts";

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Writes down where the audit logs end, where nobody on this machine has done so today. */
export async function keepHeads(ctx: Context, file: string): Promise<void> {
  if (existsSync(file) && dayOf(statSync(file).mtime) >= dayOf(ctx.now())) return;
  for await (const heads of chainHeads(ctx)) appendHeads(file, heads);
}
