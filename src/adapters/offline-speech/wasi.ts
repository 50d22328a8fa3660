import { type WasmModule, wasm } from "./web-assembly.ts";

/** What a command left behind. `file` is the one file that it wrote, empty when it wrote none. */
export type CommandResult = { exitCode: number; printed: string; file: Uint8Array };

/** WASI preview 1 error numbers. Source: https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md */
const SUCCESS = 0;
const BAD_DESCRIPTOR = 8;
const NOT_SEEKABLE = 29;

const FILE_TYPE = { character: 2, directory: 3, regular: 4 } as const;
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn;
/** The first descriptor after the standard ones: the folder in which paths are opened. */
const FOLDER = 3;

class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/**
 * Runs a WASI command to its end with these arguments, the first being its name. Its files are in memory: it sees no
 * disk, no environment, no input and a clock that stands. Throws when it traps.
 *
 * Node's own `node:wasi` warns of being experimental and knows real files only.
 */
export function runCommand(module: WasmModule, args: readonly string[]): CommandResult {
  const words = args.map((word) => new TextEncoder().encode(`${word}\0`));
  const files = new Map<number, MemoryFile>();
  const printed: Buffer[] = [];
  let memory: { readonly buffer: ArrayBuffer };
  const view = () => new DataView(memory.buffer);
  const bytes = (at: number, length: number) => new Uint8Array(memory.buffer, at, length);

  const system = {
    args_sizes_get(countAt: number, sizeAt: number): number {
      view().setUint32(countAt, words.length, true);
      view().setUint32(
        sizeAt,
        words.reduce((sum, word) => sum + word.length, 0),
        true,
      );
      return SUCCESS;
    },
    args_get(pointersAt: number, textAt: number): number {
      let [pointer, text] = [pointersAt, textAt];
      for (const word of words) {
        view().setUint32(pointer, text, true);
        bytes(text, word.length).set(word);
        pointer += 4;
        text += word.length;
      }
      return SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, at: number): number {
      view().setBigUint64(at, 0n, true);
      return SUCCESS;
    },
    fd_close: (): number => SUCCESS,
    fd_fdstat_get(descriptor: number, at: number): number {
      const type =
        descriptor === FOLDER ? FILE_TYPE.directory : files.has(descriptor) ? FILE_TYPE.regular : FILE_TYPE.character;
      view().setUint8(at, type);
      view().setUint16(at + 2, 0, true);
      view().setBigUint64(at + 8, ALL_RIGHTS, true);
      view().setBigUint64(at + 16, ALL_RIGHTS, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: (): number => SUCCESS,
    fd_prestat_get(descriptor: number, at: number): number {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR;
      view().setUint8(at, 0);
      view().setUint32(at + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(_descriptor: number, at: number): number {
      bytes(at, 1)[0] = 0x2f;
      return SUCCESS;
    },
    fd_read(_descriptor: number, _vectors: number, _count: number, at: number): number {
      view().setUint32(at, 0, true);
      return SUCCESS;
    },
    fd_seek(descriptor: number, offset: bigint, whence: number, at: number): number {
      const file = files.get(descriptor);
      if (!file) return NOT_SEEKABLE;
      const from = [0, file.position, file.length][whence] ?? 0;
      file.position = from + Number(offset);
      view().setBigUint64(at, BigInt(file.position), true);
      return SUCCESS;
    },
    fd_write(descriptor: number, vectors: number, count: number, at: number): number {
      let written = 0;
      for (let index = 0; index < count; index++) {
        const vector = vectors + 8 * index;
        const piece = bytes(view().getUint32(vector, true), view().getUint32(vector + 4, true));
        const file = files.get(descriptor);
        if (file) write(file, piece);
        else printed.push(Buffer.from(piece));
        written += piece.length;
      }
      view().setUint32(at, written, true);
      return SUCCESS;
    },
    path_open(...values: number[]): number {
      const descriptor = FOLDER + 1 + files.size;
      files.set(descriptor, { bytes: new Uint8Array(FIRST_CAPACITY), position: 0, length: 0 });
      view().setUint32(values.at(-1)!, descriptor, true);
      return SUCCESS;
    },
    proc_exit(code: number): never {
      throw new Exit(code);
    },
  };

  const instance = new wasm.Instance(module, { wasi_snapshot_preview1: system });
  memory = instance.exports.memory;
  let exitCode = 0;
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    exitCode = error.code;
  }
  const [file] = files.values();
  return {
    exitCode,
    printed: Buffer.concat(printed).toString("utf8"),
    file: file ? file.bytes.slice(0, file.length) : new Uint8Array(),
  };
}

type MemoryFile = { bytes: Uint8Array; position: number; length: number };

/** A sentence of eight seconds; grown by doubling. */
const FIRST_CAPACITY = 262_144;

function write(file: MemoryFile, piece: Uint8Array): void {
  const end = file.position + piece.length;
  if (end > file.bytes.length) {
    const larger = new Uint8Array(Math.max(end, file.bytes.length * 2));
    larger.set(file.bytes);
    file.bytes = larger;
  }
  file.bytes.set(piece, file.position);
  file.position = end;
  file.length = Math.max(file.length, end);
}
