import type { Context } from "#operations/context.ts";

/** What reading a file of contacts takes: a thread that does nothing else need not load the rest. */
export type ImportContext = Pick<Context, "db" | "now" | "newId" | "hashPhone" | "uploads" | "log">;
