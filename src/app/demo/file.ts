import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createGunzip, gunzipSync } from "node:zlib";
import { base32, type Uuid } from "#domain/values/id.ts";
import type { DemoTable } from "#store/simulator/demo-rows.ts";

// The file of the demo data: rows that the engine wrote while it played the story (test/demo). What differs from one tenant and day to
// another is a mark in them: ids, times from the story's end, and the carrier's own numbers.

const FOLDER = new URL("../../../data/demo/", import.meta.url);

const DAY_MS = 86_400_000;
/** "Thursday, April 5". */
const SAID = new Intl.DateTimeFormat("en-US", { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" });

export type Header = {
  /** When the story ended, in milliseconds since 1970 by its own clock. */
  end: number;
  /** When each id was made, in milliseconds before the last one, rising. */
  ids: number[];
  /** How many of the carrier's own numbers there are. */
  seqs: number;
  /** Area codes of the numbers of ours. */
  areaCodes: string[];
  /** Marks of what is in it, in the order in which it was made; agents by channel and name. */
  organizations: string[];
  users: string[];
  agents: Record<string, string>;
  /** Contacts for the campaigns that run while somebody looks on. */
  visitors: Record<string, string>[];
  /** Calls with sound, by the names of their files. */
  recordings: { call: string; file: string }[];
};

type Part = { table: DemoTable; columns: string[]; rows: unknown[][] };

/** What the marks stand for in one tenant. */
export type Meaning = {
  tenantId: Uuid;
  /** What ids are made of, so that they are the same again and no other tenant's. */
  seed: string;
  /** The real time by which the newest id was made. */
  madeAt: Date;
  /** What is added to the story's times. */
  shiftMs: number;
  seqs: readonly string[];
  numbers: readonly string[];
};

/** Days of the calendar: w as it is said in English, y as it is written. i: an id, p: an id in its public form, t: a time from the end, s: a number of the carrier's, n: a number of ours, T: the tenant, e: of an address. */
const MARK = /#\{([iptwysneT])(-?\d*)\}/g;

export const readHeader = async (): Promise<Header> => {
  for await (const line of lines()) return JSON.parse(line) as Header;
  throw new Error("the demo's file is empty");
};

/** The parts of the file in their order, with what their marks mean here. */
export async function* readParts(header: Header, meaning: Meaning): AsyncGenerator<[DemoTable, object[]]> {
  const put = marks(header, meaning);
  let first = true;
  for await (const line of lines()) {
    if (first) first = false;
    else {
      const { table, columns, rows } = JSON.parse(line.replaceAll(MARK, put)) as Part;
      yield [table, rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])))];
    }
  }
}

/** A function that says what a mark's letter and number mean. */
export function marks(header: Header, meaning: Meaning): (mark: string, kind: string, n: string) => string {
  const idOf = (n: number): Uuid => {
    const time = (meaning.madeAt.getTime() - header.ids[n]!).toString(16).padStart(12, "0");
    const hash = createHash("sha256").update(`${meaning.seed} ${n}`).digest("hex");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${(n % 4096).toString(16).padStart(3, "0")}-8${hash.slice(0, 3)}-${hash.slice(3, 15)}`;
  };
  return (_mark, kind, n) => {
    const i = Number(n);
    if (kind === "i") return idOf(i);
    if (kind === "p") return base32(idOf(i));
    if (kind === "t") return new Date(header.end + i + meaning.shiftMs).toISOString();
    if (kind === "w" || kind === "y") {
      const day = new Date((Math.floor(header.end / DAY_MS) + i) * DAY_MS + meaning.shiftMs);
      return kind === "w" ? SAID.format(day) : day.toISOString().slice(0, 10);
    }
    if (kind === "s") return meaning.seqs[i]!;
    if (kind === "n") return meaning.numbers[i]!;
    return kind === "T" ? meaning.tenantId : meaning.seed.slice(-6);
  };
}

/** What one mark means. */
export const meant = (header: Header, meaning: Meaning, mark: string): string =>
  mark.replace(MARK, marks(header, meaning));

/** A recording's bytes, as the engine recorded them. */
export const readRecording = async (file: string): Promise<Buffer> => gunzipSync(await readFile(new URL(file, FOLDER)));

const lines = () =>
  createInterface({
    input: createReadStream(new URL("story.jsonl.gz", FOLDER)).pipe(createGunzip()),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
