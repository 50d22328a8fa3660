import type { Readable } from "node:stream";
import type { ByteRange } from "#domain/values/byte-range.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { fewerPeaks, type Peaks, peaksOfSound } from "#media/recording/peaks.ts";
import { wavFormatOf } from "#media/recording/wav.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as calls from "#store/calls/calls.ts";
import * as singleDials from "#store/calls/single-dials.ts";

/** A recording's bytes. `etag` changes when they do, which is never. */
export type RecordingFile = {
  bytes: number;
  etag: string;
  fileName: string;
  read(range?: ByteRange): Promise<Readable>;
};

/** The recording of a call. 404 for a call that has none, or none any more. */
export async function getRecording(ctx: Context, caller: Caller, id: Uuid): Promise<RecordingFile> {
  const [call, detail] = await Promise.all([
    calls.find(ctx.db, caller.tenantId, id),
    calls.detail(ctx.db, caller.tenantId, id),
  ]);
  if (!call && !(await singleDials.ofCall(ctx.db, caller.tenantId, id))) throw notFound("Call");
  const name = detail?.recording;
  const bytes = name ? await ctx.objects.size(name) : undefined;
  if (!name || bytes === undefined) throw notFound("Recording");
  const callId = publicId("call", id);
  return {
    bytes,
    etag: `"${callId}-${bytes}"`,
    fileName: `${callId}.wav`,
    async read(range) {
      const stream = await ctx.objects.read(name, range);
      if (!stream) throw notFound("Recording");
      return stream;
    },
  };
}

/** Longer than any header that we write. */
const HEAD_BYTES = 64;

/**
 * How loud each span of a call's recording is on both sides, 0 to 255; no more than `points` spans of `peakMs` each. Computed from the file itself:
 * an hour of sound takes some tenths of a second. 404 for a call that has no recording, or none any more.
 */
export async function getWaveform(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  points: number,
): Promise<Peaks & { peakMs: number }> {
  const { bytes, read } = await getRecording(ctx, caller, id);
  const head = await (await read({ start: 0, end: Math.min(HEAD_BYTES, bytes) })).toArray();
  const format = wavFormatOf(Buffer.concat(head));
  if (format === undefined) throw notFound("Recording");
  const isSilent = bytes <= format.headerBytes;
  const sound = isSilent ? undefined : await read({ start: format.headerBytes, end: bytes });
  return fewerPeaks(sound ? await peaksOfSound(format, sound) : NO_PEAKS, points);
}

const NO_PEAKS: Peaks = { contact: new Uint8Array(0), agent: new Uint8Array(0) };
