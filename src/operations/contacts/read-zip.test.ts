import assert from "node:assert/strict";
import { test } from "node:test";
import { strToU8, zipSync } from "fflate";
import { readZip } from "./read-zip.ts";
import { zipOf } from "./zip.ts";

const from = (bytes: Uint8Array) => ({
  size: bytes.length,
  async *read(start: number, end: number) {
    for (let at = start; at < end; at += 7) yield bytes.subarray(at, Math.min(end, at + 7));
  },
});
const refuses = (bytes: Uint8Array, sentence: RegExp) => assert.rejects(readZip(from(bytes)), { message: sentence });

const AT = new Date("2026-03-04T12:00:00Z");
async function archive(files: Record<string, string>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const all = async function* () {
    for (const [name, text] of Object.entries(files)) yield { name, chunks: [strToU8(text)] };
  };
  for await (const part of zipOf(all(), AT)) parts.push(part);
  return Buffer.concat(parts);
}

/** Bytes are put in before the directory, whose place and the files' offsets from `at` on follow. */
function withBytes(zip: Buffer, at: number, more: Uint8Array, moves = true): Buffer {
  const start = zip.readUInt32LE(zip.length - 6);
  const made = Buffer.concat([zip.subarray(0, at), more, zip.subarray(at)]);
  made.writeUInt32LE(start + more.length, made.length - 6);
  for (let entry = start + more.length; made.readUInt32LE(entry) === 0x02014b50; ) {
    const offset = made.readUInt32LE(entry + 42);
    if (moves && offset >= at) made.writeUInt32LE(offset + more.length, entry + 42);
    entry += 46 + made.readUInt16LE(entry + 28);
  }
  return made;
}

test("what was made is read, whole and in order", async () => {
  const zip = await archive({ "a.txt": "one ".repeat(100), "empty.txt": "", "recordings/c.wav": "RIFF" });
  const files = await readZip(from(zip));
  assert.deepEqual([...files.keys()], ["a.txt", "empty.txt", "recordings/c.wav"]);
  assert.equal(files.get("a.txt")!.bytes!.toString(), "one ".repeat(100));
  assert.equal(files.get("recordings/c.wav")!.bytes, undefined);
  assert.equal((await readZip(from(zipSync({ "a.txt": strToU8("one") })))).get("a.txt")!.bytes!.toString(), "one");
});

test("a directory that points at a second header is refused, as are bytes that it does not name", async () => {
  const zip = await archive({ "a.txt": "granted", "b.txt": "b" });
  const start = zip.readUInt32LE(zip.length - 6);
  // A second a.txt lies behind the first: who reads the headers in order sees one, who opens it by its directory the other.
  const other = await archive({ "a.txt": "revoked" });
  const second = other.subarray(0, other.readUInt32LE(other.length - 6));
  const forged = withBytes(zip, start, second);
  const directory = forged.readUInt32LE(forged.length - 6);
  other.copy(forged, directory + 16, second.length + 16, second.length + 28);
  forged.writeUInt32LE(start, directory + 42);
  await refuses(forged, /^The archive's directory does not name what lies in it: see a\.txt$/);

  await refuses(withBytes(zip, start, strToU8("more")), /^The archive has bytes that its directory does not name$/);
  await refuses(
    withBytes(zip, 0, strToU8("more")),
    /^The archive's directory does not name what lies in it: see a\.txt$/,
  );
  await refuses(
    Buffer.concat([zip, strToU8("x")]),
    /^This is no zip archive, or it is cut off, or has bytes behind its end$/,
  );
  await refuses(zip.subarray(0, zip.length / 2), /^This is no zip archive, or it is cut off/);
  await refuses(strToU8("PK"), /^This is no zip archive$/);
});

test("bytes behind the end of what was packed, another checksum, an extra field: each is refused", async () => {
  const zip = await archive({ "a.txt": "granted" });
  const start = zip.readUInt32LE(zip.length - 6);
  const longer = withBytes(zip, start - 16, strToU8("more"));
  const packed = longer.readUInt32LE(longer.length - 22 - 46 - 5 + 20) + 4;
  longer.writeUInt32LE(packed, start + 4 + 20);
  longer.writeUInt32LE(packed, start + 4 - 16 + 8);
  await refuses(longer, /^a\.txt has bytes behind the end of what was packed$/);

  const changed = Buffer.from(zip);
  for (const at of [start + 16, start - 12]) changed.writeUInt32LE(7, at);
  await refuses(changed, /^a\.txt is not of the size and checksum that the archive names$/);

  const size = Buffer.from(zip);
  size.writeUInt32LE(7, start - 4);
  size.writeUInt32LE(6, start + 24);
  await refuses(size, /^a\.txt does not end as the archive's directory says$/);

  const extra = withBytes(zip, 35, strToU8("abcd"));
  extra.writeUInt16LE(4, 28);
  await refuses(extra, /^a\.txt has a header that is not as the archive's directory says$/);
});
