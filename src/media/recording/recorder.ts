import { type FileHandle, open } from "node:fs/promises";
import { FRAME_SAMPLES, sampleToUlaw } from "#domain/calls/g711.ts";
import { createPeakMeter, type Peaks, peaksOfSound } from "./peaks.ts";
import { type WavCoding, type WavFormat, wavFormat, wavFormatOf, wavHeader } from "./wav.ts";

/** What a crash may cost at most is a segment and the one that is being written: together no more than 5 s. */
const SEGMENT_MS = 2_500;
/** A disk that accepts no write for this long has failed. Until then what waits is kept in memory, at most a megabyte. */
const STANDSTILL_MS = 60_000;
const RATE_MS = 8;

export type RecordingFacts = { bytes: number; durationMs: number; peaks: Peaks };

export type Recorder = {
  /** 20 ms of both sides, 160 samples each; copied. Never waits: a failed write is reported by `finish`. */
  push(contact: Int16Array, agent: Int16Array): void;
  /** Whether a write has failed; nothing more is kept then. */
  hasFailed(): boolean;
  /** Writes what is left and the final header, syncs, and closes. Rejects with the first error of the file system; the file is closed then too. */
  finish(): Promise<RecordingFacts>;
};

/**
 * Records a call into a WAV file at `path`, which must not exist. Segments are appended and synced while the call goes on, and with each the
 * header, so that what a crash leaves is a recording of all but the last seconds. `phase` is a random number from 0 to 1 that
 * shortens the first segment, so that a thousand calls that begin together do not write together, which cost 18 ms of jitter.
 */
export async function createRecorder(path: string, phase: number, coding: WavCoding = "ulaw"): Promise<Recorder> {
  const format = wavFormat(coding);
  const file = await open(path, "wx", 0o600);
  try {
    await file.write(wavHeader(coding, 0), 0, format.headerBytes, 0);
  } catch (error) {
    await file.close();
    throw error;
  }
  return recorderOn(file, format, phase);
}

/**
 * Buffers that no recorder of the process fills or writes. A call fills one all the time, and writes one for some milliseconds of each segment:
 * of its own, that would be 40 kB that lie idle.
 */
const spares: Uint8Array<ArrayBuffer>[] = [];
const MOST_SPARES = 64;
const NONE = new Uint8Array(0);

function takeSpare(size: number): Uint8Array<ArrayBuffer> {
  const spare = spares.pop();
  return spare?.length === size ? spare : new Uint8Array(size);
}

function giveSpare(bytes: Uint8Array<ArrayBuffer>): void {
  if (spares.length < MOST_SPARES) spares.push(bytes);
}

function recorderOn(file: FileHandle, format: WavFormat, phase: number): Recorder {
  const { coding, headerBytes, bytesPerFrame } = format;
  const segmentBytes = SEGMENT_MS * RATE_MS * bytesPerFrame;
  const meter = createPeakMeter();
  let filling = takeSpare(segmentBytes);
  let length = 0;
  let due = Math.max(FRAME_SAMPLES, Math.ceil(phase * (SEGMENT_MS / 20)) * FRAME_SAMPLES) * bytesPerFrame;
  let dataBytes = 0;
  let failure: Error | undefined;
  let written: Promise<void> | undefined;
  let isFinished = false;

  const write = async (bytes: Uint8Array<ArrayBuffer>, count: number) => {
    try {
      await file.write(bytes, 0, count, headerBytes + dataBytes);
      dataBytes += count;
      await file.write(wavHeader(coding, dataBytes), 0, headerBytes, 0);
      await file.datasync();
    } catch (error) {
      failure ??= error as Error;
    }
    written = undefined;
    // One that a standstill has made grow is an exception.
    if (bytes.length === segmentBytes) giveSpare(bytes);
    flushDue();
  };

  /** What has become a segment while the last one was being written follows at once. */
  const flushDue = () => {
    if (length >= due && written === undefined && failure === undefined && !isFinished) flush();
  };

  const flush = () => {
    written = write(filling, length);
    filling = takeSpare(segmentBytes);
    length = 0;
    due = segmentBytes;
  };

  return {
    hasFailed: () => failure !== undefined,
    push(contact, agent) {
      if (isFinished || failure !== undefined) return;
      if (length + FRAME_SAMPLES * bytesPerFrame > filling.length) {
        if (length >= STANDSTILL_MS * RATE_MS * bytesPerFrame) {
          failure = new Error("the disk has taken nothing for a minute");
          return;
        }
        filling = grown(filling);
      }
      for (let i = 0; i < FRAME_SAMPLES; i++) {
        const left = contact[i] as number;
        const right = agent[i] as number;
        if (coding === "ulaw") {
          filling[length++] = sampleToUlaw(left);
          filling[length++] = sampleToUlaw(right);
        } else {
          filling[length++] = left & 0xff;
          filling[length++] = (left >> 8) & 0xff;
          filling[length++] = right & 0xff;
          filling[length++] = (right >> 8) & 0xff;
        }
      }
      meter.push(contact, agent);
      flushDue();
    },
    async finish() {
      isFinished = true;
      try {
        await written;
        // Once written the buffer may be another recorder's, so this one drops its reference first.
        const [last, count] = [filling, length];
        [filling, length] = [NONE, 0];
        if (failure === undefined) await write(last, count);
        if (failure !== undefined) throw failure;
      } finally {
        await file.close();
      }
      return { bytes: headerBytes + dataBytes, durationMs: dataBytes / bytesPerFrame / RATE_MS, peaks: meter.peaks() };
    },
  };
}

/**
 * Makes a recording whole that a crash left behind: what lies beyond the last whole sample is cut, the header says what is there, and it is
 * synced. Safe to repeat, and harmless to a finished one. Undefined when the file has no header of ours; then it is left as it is.
 */
export async function repairRecording(path: string): Promise<RecordingFacts | undefined> {
  const file = await open(path, "r+");
  try {
    const head = new Uint8Array(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const format = wavFormatOf(head.subarray(0, bytesRead));
    if (format === undefined) return undefined;
    const { coding, headerBytes, bytesPerFrame } = format;
    const found = Math.max(0, (await file.stat()).size - headerBytes);
    const dataBytes = found - (found % bytesPerFrame);
    await file.truncate(headerBytes + dataBytes);
    await file.write(wavHeader(coding, dataBytes), 0, headerBytes, 0);
    await file.sync();
    return {
      bytes: headerBytes + dataBytes,
      durationMs: dataBytes / bytesPerFrame / RATE_MS,
      peaks: await peaksOf(file, format, dataBytes),
    };
  } finally {
    await file.close();
  }
}

function grown(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}

/** More than any header of ours. */
const HEAD_BYTES = 64;
const READ_BYTES = 64_000;

function peaksOf(file: FileHandle, format: WavFormat, dataBytes: number): Promise<Peaks> {
  return peaksOfSound(format, soundOf(file, format.headerBytes, dataBytes));
}

/** Yields the same buffer each time: a piece is valid until the next one is requested. */
async function* soundOf(file: FileHandle, headerBytes: number, dataBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(READ_BYTES);
  for (let at = 0; at < dataBytes; at += READ_BYTES) {
    const { bytesRead } = await file.read(bytes, 0, Math.min(READ_BYTES, dataBytes - at), headerBytes + at);
    yield bytes.subarray(0, bytesRead);
  }
}
