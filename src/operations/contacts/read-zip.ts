import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import type { PackedFile } from "#domain/contacts/evidence-pack.ts";
import { isStored } from "./zip.ts";

/** The bytes of an archive, from any place: what every program reads first is at its end. */
export type ZipBytes = { size: number; read: (start: number, end: number) => AsyncIterable<Uint8Array> };

/** More of text is no archive of ours. */
const MAX_TEXT_BYTES = 512 * 1024 * 1024;
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

const [HEADER, DIRECTORY, END, DESCRIPTOR] = [0x04034b50, 0x02014b50, 0x06054b50, 0x08074b50];
const [HEADER_BYTES, DIRECTORY_BYTES, END_BYTES, DESCRIPTOR_BYTES] = [30, 46, 22, 16];
/** Sizes and CRC stand behind a file's bytes, as when they were not known before. */
const HAS_DESCRIPTOR = 8;
const [STORED, DEFLATED] = [0, 8];
const NAME = /^[\w./-]{1,300}$/;

/** What the directory says of a file. */
type Entry = {
  name: string;
  /** Version, flags, method and time: in the file's own header they are the same bytes. */
  form: Buffer;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
};

/**
 * The files of an archive with their digests, and of all but recordings their bytes. Throws one sentence where it is none, or where programs may see
 * anything else in it: its directory has to name exactly what lies before it, file after file, and nothing may lie between, before or behind.
 */
export async function readZip(zip: ZipBytes): Promise<Map<string, PackedFile>> {
  const { entries, start } = await directoryOf(zip);
  const files = new Map<string, PackedFile>();
  let [at, kept] = [0, 0];
  for (const entry of entries) {
    const { name } = entry;
    if (files.has(name)) throw new Error(`${name} is in the archive twice`);
    if (entry.offset !== at) throw new Error(`The archive's directory does not name what lies in it: see ${name}`);
    const hasDescriptor = (entry.flags & HAS_DESCRIPTOR) !== 0;
    const data = at + HEADER_BYTES + Buffer.byteLength(name);
    at = data + entry.packed + (hasDescriptor ? DESCRIPTOR_BYTES : 0);
    if (at > start) throw new Error("The archive is cut off");
    const header = await bytesAt(zip, entry.offset, data);
    if (!header.equals(headerOf(entry, hasDescriptor)))
      throw new Error(`${name} has a header that is not as the archive's directory says`);
    if (hasDescriptor && !(await bytesAt(zip, data + entry.packed, at)).equals(descriptorOf(entry)))
      throw new Error(`${name} does not end as the archive's directory says`);
    if (!isStored(name)) kept += entry.size;
    if (kept > MAX_TEXT_BYTES) throw new Error("The archive is larger than any evidence pack");
    files.set(name, await unpack(zip, entry, data));
  }
  if (at !== start) throw new Error("The archive has bytes that its directory does not name");
  return files;
}

async function bytesAt(zip: ZipBytes, start: number, end: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  if (end > start) for await (const part of zip.read(start, end)) parts.push(part);
  const bytes = Buffer.concat(parts);
  if (bytes.length !== end - start) throw new Error("The archive is cut off");
  return bytes;
}

async function directoryOf(zip: ZipBytes): Promise<{ entries: Entry[]; start: number }> {
  if (zip.size < END_BYTES) throw new Error("This is no zip archive");
  const end = await bytesAt(zip, zip.size - END_BYTES, zip.size);
  if (end.readUInt32LE(0) !== END)
    throw new Error("This is no zip archive, or it is cut off, or has bytes behind its end");
  const [count, length, start] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  const isWhole = end.readUInt32LE(4) === 0 && end.readUInt16LE(8) === count && end.readUInt16LE(20) === 0;
  if (!isWhole || start + length + END_BYTES !== zip.size || length > MAX_DIRECTORY_BYTES)
    throw new Error("The archive does not end as its last bytes say");
  const bytes = await bytesAt(zip, start, start + length);
  const entries: Entry[] = [];
  let at = 0;
  while (at < length) {
    const entry = at + DIRECTORY_BYTES <= length ? entryAt(bytes, at) : undefined;
    if (!entry) throw new Error(`Entry ${entries.length + 1} of the archive's directory is none of an evidence pack`);
    entries.push(entry);
    at += DIRECTORY_BYTES + entry.name.length;
  }
  if (entries.length !== count || count === 0)
    throw new Error("The archive's directory has not the files that it counts");
  return { entries, start };
}

/** Undefined for what no archive of ours has: other methods, other names, extra fields, comments, attributes. */
function entryAt(bytes: Buffer, at: number): Entry | undefined {
  const nameBytes = bytes.readUInt16LE(at + 28);
  const name = bytes.toString("latin1", at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + nameBytes);
  const entry: Entry = {
    name,
    form: bytes.subarray(at + 6, at + 16),
    flags: bytes.readUInt16LE(at + 8),
    method: bytes.readUInt16LE(at + 10),
    crc: bytes.readUInt32LE(at + 16),
    packed: bytes.readUInt32LE(at + 20),
    size: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
  };
  const isPlain =
    bytes.readUInt32LE(at) === DIRECTORY &&
    // Two bits say how hard it was packed.
    (entry.flags & ~(HAS_DESCRIPTOR | 6)) === 0 &&
    (entry.method === DEFLATED || (entry.method === STORED && entry.packed === entry.size)) &&
    name.length === nameBytes &&
    NAME.test(name) &&
    bytes.subarray(at + 30, at + 42).every((byte) => byte === 0);
  return isPlain ? entry : undefined;
}

/** A file's own header, as it has to be. */
function headerOf({ form, crc, packed, size, name }: Entry, hasDescriptor: boolean): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(HEADER, 0);
  form.copy(header, 4);
  if (!hasDescriptor) writeSizes(header, 14, { crc, packed, size });
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name, "latin1")]);
}

function descriptorOf(entry: Entry): Buffer {
  const bytes = Buffer.alloc(DESCRIPTOR_BYTES);
  bytes.writeUInt32LE(DESCRIPTOR, 0);
  writeSizes(bytes, 4, entry);
  return bytes;
}

function writeSizes(bytes: Buffer, at: number, { crc, packed, size }: Pick<Entry, "crc" | "packed" | "size">): void {
  bytes.writeUInt32LE(crc, at);
  bytes.writeUInt32LE(packed, at + 4);
  bytes.writeUInt32LE(size, at + 8);
}

async function unpack(zip: ZipBytes, { name, method, crc, packed, size }: Entry, start: number): Promise<PackedFile> {
  const source = Readable.from(packed > 0 ? zip.read(start, start + packed) : [], { objectMode: false });
  const inflate = method === DEFLATED ? createInflateRaw() : undefined;
  // What goes wrong with the source is thrown by the loop below.
  const chunks: Readable = inflate ? pipeline(source, inflate, () => {}) : source;
  const [hash, parts] = [createHash("sha256"), isStored(name) ? undefined : ([] as Uint8Array[])];
  let [made, sum] = [0, 0];
  try {
    for await (const chunk of chunks) {
      made += chunk.length;
      if (made > size) break;
      sum = crc32(chunk, sum);
      hash.update(chunk);
      parts?.push(chunk);
    }
  } catch (error) {
    throw new Error(`${name} cannot be unpacked: ${(error as Error).message}`);
  } finally {
    source.destroy();
  }
  if (made !== size || sum !== crc) throw new Error(`${name} is not of the size and checksum that the archive names`);
  if (inflate && inflate.bytesWritten !== packed)
    throw new Error(`${name} has bytes behind the end of what was packed`);
  return { sha256: hash.digest("hex"), bytes: parts && Buffer.concat(parts) };
}
