import type { Answer } from "#api/operations.ts";
import { useSend } from "#api/query.ts";

/** What became of many numbers that were listed at once. */
export type Imported = Answer<"POST /v1/dnc/import">;

/** Lists many numbers at once. */
export const useNumbersImport = () => useSend("POST /v1/dnc/import", ["GET /v1/dnc"], { isShown: true });
