import type { Context } from "#operations/context.ts";
import { leaveKeys, NOTE_KEYS_EVERY_MS, noteKeys } from "#operations/system/rotate-secrets.ts";
import { loop, quietly } from "./loop.ts";

/** Says which sealing keys this process has for as long as it runs: before anything that it does, and again and again, since a key may be added. */
export async function sayKnownKeys(ctx: Context, name: string): Promise<{ stop(): Promise<void> }> {
  await noteKeys(ctx, name);
  const ending = new AbortController();
  const saying = loop(
    "sealing keys",
    NOTE_KEYS_EVERY_MS,
    quietly(() => noteKeys(ctx, name)),
    { signal: ending.signal, log: ctx.log },
  );
  return {
    async stop() {
      ending.abort();
      await saying;
      await leaveKeys(ctx).catch((err) => ctx.log.warn({ err }, "the sealing keys of this process stay noted"));
    },
  };
}
