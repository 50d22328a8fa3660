import { setTimeout as pause } from "node:timers/promises";
import type { Measured } from "./costs.ts";
import { fileOf } from "./people.ts";
import type { ScratchService } from "./scratch-service.ts";
import { anOwner, type RateParts } from "./texts.ts";

/** Rows of the first file, which shows how large the second has to be. */
const FIRST_ROWS = 10_000;
const MOST_ROWS = 1_000_000;
/** Beyond the phones that were texted. */
const FROM = 1_000_000;
const LOOK_EVERY_MS = 100;

/** Contacts a second from a CSV file, from its first byte sent until its last row is stored. The second of two files counts. */
export async function measureImports({
  service,
  seconds,
  counted,
  signal,
  first = FIRST_ROWS,
}: RateParts): Promise<Measured> {
  const owner = await anOwner(service);
  const run = (count: number, from: number) => {
    const file = fileOf(count, from);
    return counted(count, () => importFile(service, file, owner, signal));
  };
  const warm = await run(first, FROM);
  const count = Math.min(MOST_ROWS, Math.max(first, Math.round((first / warm.seconds) * seconds)));
  return run(count, FROM + first);
}

async function importFile(
  service: ScratchService,
  file: Uint8Array<ArrayBuffer>,
  owner: Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const { import: begun } = await service.sendFile("/v1/contacts/imports", file, owner);
  for (;;) {
    const { import: now } = await service.get(`/v1/contacts/imports/${begun.import_id}`);
    if (now.status === "completed") return;
    if (now.status === "failed") throw new Error(`The import to measure has failed after ${now.created} rows`);
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}
