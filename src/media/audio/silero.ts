import { fileURLToPath } from "node:url";
import { InferenceSession, Tensor } from "onnxruntime-node";

const MODEL = fileURLToPath(new URL("../../../data/silero-vad.onnx", import.meta.url));

/** The model's window at 8 kHz, 32 ms, and the end of the window before it, which the model needs as context. */
const WINDOW = 256;
const CONTEXT = 32;
const INPUT = WINDOW + CONTEXT;
const WINDOW_MS = 32;
/** The network's state of one call: two layers. */
const LAYERS = 2;
const CELLS = 128;
/** More windows in a run cost as much each, and hold up the loop for longer: 64 take about 2 ms. */
const BATCH = 64;
/** Windows that may wait for a run. After a stall the oldest beyond these are dropped. */
const WAITING = 8;

/**
 * A window's power below which there is no speech, -50 dBFS: a quiet line's noise. After the model has judged half a second of it, further such
 * windows are not run through the model: in most calls they are more than half of the sound.
 */
const FAINT = 1e-5;
const STILL_WINDOWS = 16;

/** Called for every window with its probability of speech (0 to 1) and its end, in milliseconds of the sound that was pushed. */
export type SpeechHeard = (probability: number, endMs: number) => void;

export type SileroStream = {
  /** Takes 160 samples, or as many as there are up to 256. The samples are copied. */
  push(samples: Int16Array): void;
  /** No callback comes after it, not even for a window that is being judged. */
  close(): void;
};

export type Silero = {
  open(onWindow: SpeechHeard): SileroStream;
  /** Judges every window that is whole, those of all calls together, and returns how many. Calls while it runs join it. */
  run(): Promise<number>;
  close(): Promise<void>;
};

type Stream = {
  onWindow: SpeechHeard;
  isOpen: boolean;
  isQueued: boolean;
  /** The context from the last judged window, then the sound since. */
  sound: Float32Array;
  length: number;
  state: Float32Array;
  windows: number;
  /** Faint windows in a row that the model has judged. */
  faint: number;
};

/**
 * The Silero voice detector (`data/README.md`), one model for all calls of a process: their windows are judged 64 at a time, which costs
 * less than half of one at a time and changes no answer. It runs on the thread that calls it, one batch a turn of the loop. Rejects when
 * the model or its runtime cannot be loaded.
 */
export async function loadSilero(model: string = MODEL): Promise<Silero> {
  // Since 1.29 the runtime reports to Microsoft over the network, and keeps a device's id in the home folder, unless it finds this as it starts.
  process.env.ORT_DISABLE_TELEMETRY = "1";
  // One thread: a process is planned for one core, and more threads would take time from the other processes.
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
  });
  const batches = Array.from({ length: BATCH + 1 }, (_, size) => batchOf(size));
  const taken: Stream[] = [];
  let queue: Stream[] = [];
  let running: Promise<number> | undefined;

  const runAll = async (): Promise<number> => {
    let judged = 0;
    while (queue.length > 0) {
      const waiting = queue;
      queue = [];
      for (let at = 0; at < waiting.length; at += BATCH) {
        taken.length = 0;
        for (const stream of waiting.slice(at, at + BATCH)) {
          stream.isQueued = false;
          if (stream.isOpen) taken.push(stream);
        }
        if (taken.length === 0) continue;
        const batch = batches[taken.length] as Batch;
        taken.forEach((stream, row) => {
          fill(batch, stream, row);
        });
        await session.run(batch.feeds, batch.fetches);
        judged += taken.length;
        taken.forEach((stream, row) => {
          read(batch, stream, row);
          enqueue(stream);
        });
      }
    }
    return judged;
  };

  const enqueue = (stream: Stream) => {
    if (stream.isQueued) return;
    while (stream.faint >= STILL_WINDOWS && stream.length >= INPUT && stream.isOpen && isFaint(stream)) {
      forget(stream);
      stream.onWindow(0, stream.windows * WINDOW_MS);
    }
    if (stream.length < INPUT || !stream.isOpen) return;
    stream.isQueued = true;
    queue.push(stream);
  };

  return {
    open(onWindow) {
      const stream: Stream = {
        onWindow,
        isOpen: true,
        isQueued: false,
        sound: new Float32Array(CONTEXT + WAITING * WINDOW),
        length: CONTEXT,
        state: new Float32Array(LAYERS * CELLS),
        windows: 0,
        faint: 0,
      };
      return {
        push(samples) {
          if (stream.length + samples.length > stream.sound.length) forget(stream);
          for (let i = 0; i < samples.length; i++) stream.sound[stream.length + i] = (samples[i] as number) / 32_768;
          stream.length += samples.length;
          enqueue(stream);
        },
        close() {
          stream.isOpen = false;
        },
      };
    },
    run() {
      running ??= runAll().finally(() => {
        running = undefined;
      });
      return running;
    },
    close: () => session.release(),
  };
}

type Batch = {
  input: Float32Array;
  state: Float32Array;
  output: Float32Array;
  nextState: Float32Array;
  feeds: InferenceSession.FeedsType;
  fetches: InferenceSession.FetchesType;
};

/** The tensors for so many windows; the answers are written into them. The model needs the state by layer, then by window. */
function batchOf(size: number): Batch {
  const input = new Float32Array(size * INPUT);
  const state = new Float32Array(LAYERS * size * CELLS);
  const output = new Float32Array(size);
  const nextState = new Float32Array(LAYERS * size * CELLS);
  return {
    input,
    state,
    output,
    nextState,
    feeds: {
      input: new Tensor("float32", input, [size, INPUT]),
      state: new Tensor("float32", state, [LAYERS, size, CELLS]),
      sr: new Tensor("int64", BigInt64Array.of(8_000n), []),
    },
    fetches: {
      output: new Tensor("float32", output, [size, 1]),
      stateN: new Tensor("float32", nextState, [LAYERS, size, CELLS]),
    },
  };
}

function fill(batch: Batch, stream: Stream, row: number): void {
  const { input, state, output } = batch;
  const size = output.length;
  input.set(stream.sound.subarray(0, INPUT), row * INPUT);
  // Faint windows are counted in `read`, after they were judged, so that a later window is not reported first.
  if (!isFaint(stream)) stream.faint = -1;
  for (let layer = 0; layer < LAYERS; layer++) {
    state.set(stream.state.subarray(layer * CELLS, (layer + 1) * CELLS), (layer * size + row) * CELLS);
  }
  forget(stream);
}

function read(batch: Batch, stream: Stream, row: number): void {
  const { output, nextState } = batch;
  const size = output.length;
  for (let layer = 0; layer < LAYERS; layer++) {
    const from = (layer * size + row) * CELLS;
    stream.state.set(nextState.subarray(from, from + CELLS), layer * CELLS);
  }
  stream.faint += 1;
  if (stream.isOpen) stream.onWindow(output[row] as number, stream.windows * WINDOW_MS);
}

/** Whether there is no voice in the next window. */
function isFaint(stream: Stream): boolean {
  const { sound } = stream;
  let power = 0;
  for (let i = CONTEXT; i < INPUT; i++) power += (sound[i] as number) * (sound[i] as number);
  return power < FAINT * WINDOW;
}

/** Drops the oldest window; its end stays as the next one's context. */
function forget(stream: Stream): void {
  stream.sound.copyWithin(0, WINDOW, stream.length);
  stream.length -= WINDOW;
  stream.windows += 1;
}
