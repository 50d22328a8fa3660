import {
  applied,
  areaCodeOf,
  type ListedNumber,
  newPrefixChange,
  noteLine,
  type PrefixChange,
  readListLine,
} from "#domain/compliance/national-list.ts";
import { failure, invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as nationalLists from "#store/compliance/national-lists.ts";

/** Prefixes kept in memory before they are written: 20 MB, which is twenty area codes in any order. National files come sorted. */
const PREFIXES_IN_HAND = 16_384;
const PREFIXES_A_STATEMENT = 500;
/** The initial value of a prefix that a change list adds. */
const NO_NUMBERS = Buffer.from(applied(undefined, newPrefixChange()));
/** Dates and flags of a change list come to some forty characters. */
const MAX_LINE_LENGTH = 1_000;
/** An import that began this long ago and has not ended has died. */
const BROKEN_OFF_AFTER_MS = 86_400_000;

export type NationalList = {
  /** A full list replaces what was there; a change list adds and deletes. */
  kind: "full" | "change";
  /** The registry's date of the list, YYYY-MM-DD. */
  listedOn: string;
  /** The area codes that it covers. Unset: those in a full list, all that are covered already for a change list. */
  areaCodes: readonly number[] | undefined;
  /** Its name, for the record. */
  file: string;
  /** The text, in pieces of any size. */
  text: AsyncIterable<string>;
};

export type NationalImport = { areaCodes: number[]; added: number; deleted: number; passedOver: number };

/**
 * Reads the national do-not-call file of a tenant's subscription, in constant memory. A full list takes effect as a whole once its last line is read;
 * until then, and when a line cannot be read (400), the old one stays in effect. A change list is applied as it is read, and its date is set at the
 * end: import it again if it breaks off.
 */
export async function importNationalList(ctx: Context, tenantId: Uuid, list: NationalList): Promise<NationalImport> {
  const startedAt = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  checkDay(list.listedOn, startedAt);
  const before = await nationalLists.areas(ctx.db, tenantId);
  const importId = ctx.newId();
  const home = homes(list, before, importId);
  await nationalLists.begin(ctx.db, tenantId, { ...list, id: importId, at: startedAt });

  try {
    const read = await readAll(ctx, tenantId, list, home.of);
    const areaCodes = home.areaCodes ?? [...read.areaCodes].sort();
    if (areaCodes.length === 0) throw invalidField("file", "has no numbers; name the area codes that it covers");
    const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
    await ctx.db.transaction(async (tx) => {
      if (list.kind === "change") {
        // A full list was imported meanwhile and replaced this one with its numbers.
        const changed = areaCodes.map((area_code) => ({ area_code, import_id: home.of(area_code)! }));
        if ((await nationalLists.renew(tx, tenantId, changed, list.listedOn)) < areaCodes.length) {
          throw failure(
            "conflict",
            "Another list of one of these area codes was loaded meanwhile; load this one again",
          );
        }
      } else if ((await nationalLists.cover(tx, tenantId, areaCodes, importId, list.listedOn)) < areaCodes.length) {
        throw failure("conflict", "A newer list of one of these area codes is loaded already");
      }
      await nationalLists.finish(tx, tenantId, importId, { added: read.added, deleted: read.deleted, at });
    });
    const replaced = list.kind === "full" ? [...new Set(before.map((area) => area.import_id))] : [];
    const brokenOffBefore = new Date(at.getTime() - BROKEN_OFF_AFTER_MS);
    await nationalLists.forget(ctx.db, tenantId, { areaCodes, replaced, brokenOffBefore });
    return { areaCodes, added: read.added, deleted: read.deleted, passedOver: read.passedOver };
  } catch (error) {
    // They are not used by look-ups; a change list has none of its own.
    await nationalLists.drop(ctx.db, tenantId, importId);
    throw error;
  }
}

function checkDay(day: string, now: Date): void {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00Z`) : undefined;
  if (!at || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day)) {
    throw invalidField("date", "must be a day, YYYY-MM-DD");
  }
  if (at > now) throw invalidField("date", "must not be in the future");
}

/** The import under which an area code's numbers are stored: undefined for one that this list does not cover. */
type Home = (areaCode: number) => Uuid | undefined;

/** A full list is stored under an import of its own, which is not looked up until it is complete; a change list changes the import that is in use. */
function homes(
  list: NationalList,
  before: readonly nationalLists.NationalArea[],
  importId: Uuid,
): { areaCodes: number[] | undefined; of: Home } {
  if (list.kind === "full") {
    const wanted = list.areaCodes && new Set(list.areaCodes);
    return {
      areaCodes: wanted && [...wanted],
      of: (areaCode) => (wanted === undefined || wanted.has(areaCode) ? importId : undefined),
    };
  }
  const known = new Map(before.map((area) => [area.area_code, area]));
  const areaCodes = [...new Set(list.areaCodes ?? known.keys())];
  const missing = areaCodes.find((code) => !known.has(code));
  if (missing !== undefined || areaCodes.length === 0) {
    throw failure("conflict", `A change list needs a full list first${missing ? `: there is none of ${missing}` : ""}`);
  }
  const newer = areaCodes.find((code) => known.get(code)!.listed_on > list.listedOn);
  if (newer !== undefined) throw failure("conflict", `The list of ${newer} is newer than this change list`);
  const wanted = new Set(areaCodes);
  return { areaCodes, of: (areaCode) => (wanted.has(areaCode) ? known.get(areaCode)!.import_id : undefined) };
}

type Read = { areaCodes: Set<number>; added: number; deleted: number; passedOver: number };

async function readAll(ctx: Context, tenantId: Uuid, { kind, text }: NationalList, home: Home): Promise<Read> {
  const read: Read = { areaCodes: new Set(), added: 0, deleted: 0, passedOver: 0 };
  const inHand = new Map<number, PrefixChange>();
  let number = 0;
  for await (const lines of linesOf(text)) {
    for (const line of lines) {
      number++;
      const entry = readListLine(line);
      // The first line may say what the columns are.
      if (entry === null || (entry === undefined && number === 1)) continue;
      if (entry === undefined || (entry.change === undefined) !== (kind === "full")) throw unreadable(number, entry);
      const areaCode = areaCodeOf(entry.prefix);
      if (home(areaCode) === undefined) {
        read.passedOver++;
        continue;
      }
      read.areaCodes.add(areaCode);
      if (entry.change === "delete") read.deleted++;
      else read.added++;
      let change = inHand.get(entry.prefix);
      if (change === undefined) {
        change = newPrefixChange();
        inHand.set(entry.prefix, change);
      }
      noteLine(change, entry);
    }
    if (inHand.size >= PREFIXES_IN_HAND) await write(ctx, tenantId, kind, inHand, home);
  }
  await write(ctx, tenantId, kind, inHand, home);
  return read;
}

function unreadable(line: number, entry: ListedNumber | undefined) {
  if (entry === undefined) return invalidField("file", `line ${line} is no phone number`);
  const kind =
    entry.change === undefined ? "does not say A or D: this is a full list" : "adds or deletes: this is a change list";
  return invalidField("file", `line ${line} ${kind}`);
}

/** The lines of a text that comes in pieces, as many at a time as a piece holds. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = "";
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    if (rest.length > MAX_LINE_LENGTH) throw invalidField("file", "has a line that is too long for a phone number");
    yield lines;
  }
  yield [rest];
}

/** Merges the buffered prefixes into the stored ones, and empties the buffer. */
async function write(
  ctx: Context,
  tenantId: Uuid,
  kind: NationalList["kind"],
  inHand: Map<number, PrefixChange>,
  home: Home,
): Promise<void> {
  const changes = [...inHand].sort(([a], [b]) => a - b);
  for (const piece of piecesOf(changes, PREFIXES_A_STATEMENT)) {
    const keys = piece.map(([prefix]) => ({ import_id: home(areaCodeOf(prefix))!, prefix }));
    await ctx.db.transaction(async (tx) => {
      // No other process writes under the import of a full list.
      if (kind === "change") await nationalLists.make(tx, tenantId, keys, NO_NUMBERS);
      const there = new Map((await nationalLists.lock(tx, tenantId, keys)).map((piece) => [piece.prefix, piece.bits]));
      const after = piece.map(([prefix, change], i) => ({
        ...keys[i]!,
        bits: Buffer.from(applied(there.get(prefix), change)),
      }));
      await nationalLists.save(tx, tenantId, after);
    });
  }
  inHand.clear();
}
