import { createHash, randomUUID } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, openSync, readSync, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { VERSION } from "#app/process/release.ts";
import type { Config } from "#app/settings/config.ts";
import { fingerprint } from "#app/settings/secret-key.ts";
import { openDb } from "#store/database/db.ts";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import {
  copyLine,
  dump,
  isEmpty,
  load,
  migrationsOf,
  readCopyLine,
  readSequenceLine,
  type Sequence,
  sequenceLine,
  type Table,
} from "#store/system/backup.ts";
import * as fence from "#store/system/fence.ts";
import { decrypted, encrypted, HEADER_BYTES, isEncrypted, type Lock, type Opener, WrongOpener } from "./encryption.ts";

const FORMAT = 1;
const HEAD = "-- parley backup ";
const FOOT = "-- end ";
/** It would load the rows and raise no fence: it leaves before the first of them. */
const NOT_FOR_PSQL =
  "\\echo This is put back by `parley restore`, which keeps it from texting and calling people a second time.\n\\quit\n";
const END_OF_ROWS = Buffer.from("\n\\.\n");

type Head = { format: number; version: string; madeAt: string; migrations: string[]; secret: string };
type Foot = { sha256: string; rows: Record<string, number> };

/**
 * Writes the whole database to one file, whole or not at all, encrypted where there is a lock. "-" is the standard output, where half of it may
 * have come when this fails. Answers with the rows by table.
 */
export async function backUp(
  config: Config,
  url: string,
  file: string,
  now: Date,
  lock?: Lock,
): Promise<Record<string, number>> {
  const head = { format: FORMAT, version: VERSION, madeAt: now.toISOString(), secret: fingerprint(config) };
  const rows: Record<string, number> = {};
  const hash = createHash("sha256");
  async function* text(): AsyncGenerator<Buffer> {
    for await (const piece of pieces()) {
      hash.update(piece);
      yield piece;
    }
    yield Buffer.from(`${FOOT}${JSON.stringify({ sha256: hash.digest("hex"), rows } satisfies Foot)}\n`);
  }
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const piece of dump(url)) {
      if ("migrations" in piece) {
        yield Buffer.from(
          `${HEAD}${JSON.stringify({ ...head, migrations: piece.migrations } satisfies Head)}\n${NOT_FOR_PSQL}`,
        );
      } else if ("sequence" in piece) yield Buffer.from(sequenceLine(piece.sequence));
      else if ("start" in piece) yield Buffer.from(copyLine(piece.start));
      else if ("rows" in piece) yield piece.rows;
      else {
        rows[piece.end.name] = piece.count;
        yield END_OF_ROWS.subarray(1);
      }
    }
  }
  const compressed = compose(text);
  const whole = () => (lock ? Readable.from(encrypted(compressed(), lock), { objectMode: false }) : compressed());
  if (file === "-") {
    await pipeline(whole(), createWriteStream("", { fd: 1, mode: 0o600 }));
    return rows;
  }
  // Its own: another backup to the same name may be under way.
  const unfinished = `${file}.${randomUUID()}.unfinished`;
  try {
    const to = createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(whole(), to);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return rows;
}

/** Errors of either end the other. */
const compose = (text: () => AsyncGenerator<Buffer>) => () => {
  const gzip = createGzip({ level: 6 });
  pipeline(text, gzip).catch((error: Error) => gzip.destroy(error));
  return gzip;
};

/** A backup to be read, twice: opened before anything else, so that who may read it need not be who goes on. */
export type Source = { file: string; fd: number; opener: Opener | undefined };

export function openBackup(file: string, opener?: Opener): Source {
  const fd = openSync(file, "r");
  const begin = Buffer.alloc(HEADER_BYTES);
  readSync(fd, begin, 0, HEADER_BYTES, 0);
  if (isEncrypted(begin) && !opener) {
    throw new Error(`${file} is encrypted: name what opens it by --passphrase-file or --identity-file`);
  }
  return { file, fd, opener: isEncrypted(begin) ? opener : undefined };
}

function compressedOf({ fd, opener }: Source): Readable {
  const from = createReadStream("", { fd, start: 0, autoClose: false });
  return opener ? Readable.from(decrypted(from, opener), { objectMode: false }) : from;
}

/**
 * Puts a backup into an empty database, and fences it. The whole file is read and checked first; a database that holds
 * tenants, a file of a newer version, a damaged one or one under another secret key is refused with nothing written.
 */
export async function restore(config: Config, url: string, from: string | Source, now: Date): Promise<Head & Foot> {
  const source = typeof from === "string" ? openBackup(from) : from;
  const { head, foot } = await verify(source);
  const unknown = head.migrations.filter((name) => !migrationNames().includes(name));
  if (unknown.length > 0) throw new Error(`the backup was made by a newer Parley (${head.version}): update first`);
  if (head.secret !== fingerprint(config)) {
    throw new Error(
      "the backup belongs to another PARLEY_SECRET_KEY (or data directory's secret-key): no API key of it would work",
    );
  }
  const there = await migrationsOf(url);
  // One that was begun and lost its connection has some of the backup's migrations, and can be gone on with.
  const isOnItsWay = there?.every((name, i) => name === head.migrations[i]);
  if (there && !(isOnItsWay && (await isEmpty(url)))) {
    throw new Error("the database is not new: restore into one that was just created");
  }
  // Before anything is distributed: where what lies is decided anew.
  await migrate(url, { names: head.migrations });
  await load(url, partsOf(source), { expected: foot.rows, now });
  await migrate(url);
  await date(url, head.madeAt);
  if (typeof from === "string") closeSync(source.fd);
  return { ...head, ...foot };
}

/** In this version's schema, which the backup's need not have been. */
async function date(url: string, madeAt: string): Promise<void> {
  const db = openDb({ url, poolSize: 1, applicationName: "parley restore" });
  try {
    const reason = `restored from a backup of ${madeAt}`;
    await db.transaction((tx) => fence.date(tx, { reason, asOf: new Date(madeAt) }));
  } finally {
    await db.close();
  }
}

/** Reads a file to its end and checks every byte. */
async function verify(source: Source): Promise<{ head: Head; foot: Foot }> {
  const hash = createHash("sha256");
  let head: Head | undefined;
  let foot: Foot | undefined;
  const damaged = () => new Error(`${source.file} is not a whole backup`);
  try {
    for await (const piece of read(source)) {
      if ("line" in piece && piece.line.startsWith(FOOT)) {
        foot = JSON.parse(piece.line.slice(FOOT.length)) as Foot;
        continue;
      }
      if (foot) throw new Error("something follows the end");
      if ("line" in piece) {
        hash.update(`${piece.line}\n`);
        if (head === undefined) {
          if (!piece.line.startsWith(HEAD)) throw new Error("it does not begin like one");
          head = JSON.parse(piece.line.slice(HEAD.length)) as Head;
        }
      } else hash.update(piece.rows);
    }
  } catch (error) {
    if (error instanceof WrongOpener) throw error;
    throw damaged();
  }
  if (!head || !foot || head.format !== FORMAT || foot.sha256 !== hash.digest("hex")) throw damaged();
  return { head, foot };
}

/** A file that was cut off, or damaged, ends in an error of either. */
function unzipped(source: Source): Readable {
  const gunzip = createGunzip();
  pipeline(compressedOf(source), gunzip).catch((error: Error) => gunzip.destroy(error));
  return gunzip;
}

type Read = { line: string } | { rows: Buffer; isLast: boolean };

/** A backup in pieces: lines outside tables, and the rows of tables, their closing line included. */
async function* read(source: Source): AsyncGenerator<Read> {
  let rest: Buffer = Buffer.alloc(0);
  let inTable = false;
  /** Only there the end may stand without a newline before it: a row whose last text ends in a backslash and a dot looks like one. */
  let atFirstRow = false;
  for await (const chunk of unzipped(source)) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      if (inTable) {
        if (atFirstRow && rest.length < END_OF_ROWS.length - 1) break;
        const isEmptyTable = atFirstRow && rest.subarray(0, 3).equals(END_OF_ROWS.subarray(1));
        const end = isEmptyTable ? -1 : rest.indexOf(END_OF_ROWS);
        atFirstRow = false;
        if (!isEmptyTable && end < 0) break;
        const length = end + END_OF_ROWS.length;
        yield { rows: rest.subarray(0, length), isLast: true };
        rest = rest.subarray(length);
        inTable = false;
      } else {
        const end = rest.indexOf(10);
        if (end < 0) break;
        const line = rest.toString("utf8", 0, end);
        rest = rest.subarray(end + 1);
        yield { line };
        inTable = readCopyLine(line) !== undefined;
        atFirstRow = inTable;
      }
    }
    // The end may be cut in two: its first bytes wait for the next chunk, and so does the newline before it.
    if (inTable && rest.length > 1 << 16) {
      yield { rows: rest.subarray(0, rest.length - END_OF_ROWS.length), isLast: false };
      rest = rest.subarray(rest.length - END_OF_ROWS.length);
    }
  }
  if (rest.length > 0) throw new Error("the file ends in the middle of a line");
}

/** The tables and sequences of a verified backup, one after the other. */
async function* partsOf(
  source: Source,
): AsyncGenerator<{ table: Table; rows: AsyncIterable<Buffer> } | { sequence: Sequence }> {
  const pieces = read(source);
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    if (!("line" in next.value)) continue;
    const table = readCopyLine(next.value.line);
    const sequence = readSequenceLine(next.value.line);
    if (table) yield { table, rows: rowsOf(pieces) };
    else if (sequence) yield { sequence };
  }
}

async function* rowsOf(pieces: AsyncGenerator<Read>): AsyncGenerator<Buffer> {
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    if (!("rows" in next.value)) throw new Error("a table's rows are missing");
    const { rows, isLast } = next.value;
    yield isLast ? rows.subarray(0, rows.length - (END_OF_ROWS.length - 1)) : rows;
    if (isLast) return;
  }
}
