import { setTimeout as pause } from "node:timers/promises";
import { objectUploader, type UploadState } from "#operations/calls/upload-objects.ts";
import type { Context } from "#operations/context.ts";

/** The database may be on its way back. */
const AFTER_FAILURE_MS = 1_000;

export type ObjectUploads = {
  /** Undefined where objects stay on this machine's disk. */
  state(): UploadState | undefined;
  /** Uploads what is there and needs no more than so long for it; the rest waits on the disk for the next start. */
  stop(withinMs: number): Promise<void>;
};

/** Uploads to the store that all nodes share, as long as this process runs. `changed` when there is more or less to upload, or it fails. */
export function startUploads(
  ctx: Context,
  changed: (state: UploadState) => Promise<unknown> = async () => {},
): ObjectUploads {
  const { shared } = ctx.objects;
  if (shared === undefined) return { state: () => undefined, stop: async () => {} };
  const uploader = objectUploader(ctx, shared);
  const [stopping, over] = [new AbortController(), new AbortController()];
  const round = async (): Promise<number> => {
    let waitMs = AFTER_FAILURE_MS;
    try {
      waitMs = await uploader.round(over.signal);
      const { waiting, failing } = uploader.state();
      const news = `${waiting} ${failing}`;
      if (news !== noted) await changed(uploader.state());
      noted = news;
    } catch (err) {
      ctx.log.warn({ err }, "a round of uploads failed; the next one goes on");
    }
    return waitMs;
  };
  let noted = "";
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await pause(await round(), undefined, { signal: stopping.signal }).catch(() => {});
    }
    do await round();
    while (uploader.state().waiting > 0 && !(await isAborted(over.signal, AFTER_FAILURE_MS)));
  })();
  return {
    state: () => uploader.state(),
    async stop(withinMs) {
      stopping.abort();
      const timer = setTimeout(() => over.abort(), withinMs);
      await running;
      clearTimeout(timer);
    },
  };
}

/** Whether it is by then. */
async function isAborted(signal: AbortSignal, withinMs: number): Promise<boolean> {
  await pause(withinMs, undefined, { signal }).catch(() => {});
  return signal.aborted;
}
