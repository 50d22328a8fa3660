import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import {
  ABOUT,
  fingerprintOf,
  LINE_SUMS,
  LISTS,
  PACK_FORM,
  type PackedLink,
  PUBLIC_KEY,
  README,
  README_TEXT,
  SIGNATURE,
  SUMS,
  sha256Hex,
  sumLine,
} from "#domain/contacts/evidence-pack.ts";
import { evidencePage, PAGE_ROWS } from "#domain/contacts/evidence-page.ts";
import { emptyChain } from "#domain/values/chain.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as audit from "#store/accounts/audit.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as evidence from "#store/contacts/evidence.ts";
import * as history from "#store/contacts/history.ts";
import * as chain from "#store/database/chain.ts";
import * as sealing from "#store/system/sealing.ts";
import { type ArchivedFile, zipOf } from "./zip.ts";

/** An archive, in pieces as they are made. Nothing is read, noted or made before it is asked for. */
export type Archive = { fileName: string; make: () => Promise<AsyncIterable<Uint8Array>> };

type Whose = Pick<Caller, "tenantId" | "accountId" | "mode">;

/**
 * All that is known of a contact's numbers, signed: docs/evidence.md. It is noted in the audit log as who made it. Of an erased contact it has that, when,
 * and what stays. `recordings`: with the files. Kept in memory are a page of each list, and 100 bytes a line. 404 for an unknown contact.
 */
export async function makeEvidence(
  ctx: Context,
  whose: Whose,
  contactId: Uuid,
  { by, recordings }: { by: audit.AuditSource; recordings: boolean },
): Promise<Archive> {
  const found = await evidence.person(ctx.db, whose.tenantId, contactId);
  // One that was removed with its import is no contact any more, and was never one to erase.
  if (!found || found.phone.startsWith("removed:")) throw notFound("Contact");
  const id = publicId("contact", contactId);
  const make = async () => {
    const note = { object: { kind: "contact", id }, after: { recordings } };
    await ctx.db.transaction((tx) => audit.add(tx, by, note, ctx.now()));
    // What waits for its link gets it now, so that the archive has it.
    for (const chainId of new Set([whose.tenantId, whose.accountId]))
      while (await ctx.db.transaction((tx) => chain.link(tx, chainId, ctx.now(), { waits: true })));
    return zipOf(filesOf(ctx, whose, found, recordings), ctx.now());
  };
  return { fileName: `evidence-${id}.zip`, make };
}

/** The contact's numbers. A former one that is another contact's now is left out: what there is of it may be that person's. */
async function phonesOf(
  ctx: Context,
  tenantId: Uuid,
  { id, phone, former_phones }: evidence.Person,
): Promise<{ phones: string[]; leftOut: string[] }> {
  const former = [...new Set(former_phones ?? [])].filter((each) => each !== phone);
  const shared = await contacts.sharedPhones(ctx.db, tenantId, former, [id]);
  return {
    phones: [phone, ...former.filter((each) => !shared.has(each))],
    leftOut: former.filter((each) => shared.has(each)),
  };
}

/** The key that evidence is signed with now. */
export async function evidenceKey(ctx: Pick<Context, "db" | "sealingKeys">): Promise<KeyObject> {
  return ctx.sealingKeys.signer((await sealing.currentKey(ctx.db)) ?? ctx.sealingKeys.first);
}

/** The public half of the key that signs now, and of those that have signed before and are still kept, newest first. */
export async function evidenceKeys(
  ctx: Pick<Context, "db" | "sealingKeys">,
): Promise<{ fingerprint: string; publicKey: string; isCurrent: boolean }[]> {
  const now = (await sealing.currentKey(ctx.db)) ?? ctx.sealingKeys.first;
  return ctx.sealingKeys
    .ids()
    .toReversed()
    .map((id) => ({ ...publicOf(ctx.sealingKeys.signer(id)), isCurrent: id === now }));
}

const publicOf = (key: KeyObject) => ({
  fingerprint: fingerprintOf(createPublicKey(key)),
  publicKey: createPublicKey(key).export({ type: "spki", format: "pem" }) as string,
});

/** What is noted while the files are made: their digests, those of lines, links, and the first rows of each list for the page. */
type Noted = {
  sums: string;
  lineSums: string[];
  links: PackedLink[];
  shown: Record<string, object[]>;
  counts: Record<string, number>;
};

async function* filesOf(
  ctx: Context,
  whose: Whose,
  person: evidence.Person,
  withRecordings: boolean,
): AsyncGenerator<ArchivedFile> {
  const { tenantId, accountId, mode } = whose;
  const isErased = person.phone.startsWith("erased:");
  const { phones, leftOut } = isErased ? { phones: [], leftOut: [] } : await phonesOf(ctx, tenantId, person);
  const erasures = await evidence.erasures(ctx.db, tenantId, person.id);
  const noted: Noted = { sums: "", lineSums: [], links: [], shown: {}, counts: {} };
  const file = (name: string, text: string): ArchivedFile => {
    noted.sums += sumLine(sha256Hex(text), name);
    return { name, chunks: [Buffer.from(text)] };
  };
  const list = (name: string, pages: AsyncIterable<object[]>): ArchivedFile => ({
    name,
    chunks: linesOf(noted, name, pages),
  });
  const linked = (chainId: Uuid, kind: string) => (rows: { id?: unknown }[]) =>
    noteLinks(ctx, noted, chainId, kind, rows);

  const contactId = publicId("contact", person.id);
  const about = {
    form: PACK_FORM,
    made_at: ctx.now().toISOString(),
    tenant_id: publicId("tenant", accountId),
    mode,
    contact_id: contactId,
    organization_id: publicId("organization", person.organization_id),
    phone_numbers: phones,
    left_out_phone_numbers: leftOut,
    created_at: person.created_at,
    erased_at: isErased ? (erasures[0]?.at ?? person.updated_at) : null,
    heads: await headsOf(ctx, whose),
  };
  yield file(ABOUT, `${JSON.stringify(about, null, 2)}\n`);
  yield file(README, README_TEXT);
  const consents = async function* () {
    for await (const rows of evidence.pages(ctx.db, tenantId, "consents", phones)) {
      await linked(tenantId, "consent")(rows);
      yield rows.map((row) => ({ tenant: tenantId, ...row }));
    }
  };
  yield list(LISTS.consents, consents());
  yield list(LISTS.decisions, decisions(ctx, tenantId, phones));
  yield list(LISTS.texts, withPublicId("message", evidence.pages(ctx.db, tenantId, "texts", phones)));
  const recorded: { name: string; object: string; sha256: string }[] = [];
  yield list(LISTS.calls, callsOf(ctx, tenantId, phones, recorded));
  const optOuts = async function* () {
    for await (const rows of evidence.pages(ctx.db, tenantId, "consents", phones))
      yield rows
        .filter(({ event }) => event !== "granted")
        .map(({ id, phone, event, channel, source, quote, at, recorded_at }) => ({
          ...{ id, phone, event, channel, source, quote, at, recorded_at },
        }));
  };
  yield list(LISTS.optOuts, optOuts());
  yield list(
    LISTS.lists,
    withPublicId("list", onePage(isErased ? [] : await evidence.lists(ctx.db, tenantId, person))),
  );
  yield list(LISTS.screening, onePage(await evidence.screening(ctx.db, tenantId, phones)));
  await linked(tenantId, "erasure")(erasures);
  for (const { gone } of erasures) await linked(tenantId, "consent")(gone);
  yield list(
    LISTS.erasures,
    onePage(erasures.map(({ contact_id, ...row }) => ({ tenant: tenantId, contactId: contact_id, ...row }))),
  );
  const entries = async function* () {
    for await (const rows of evidence.audit(ctx.db, accountId, { phones, contactId, mode })) {
      await linked(accountId, "audit")(rows);
      yield rows.map(({ personal, ...row }) => ({ entry: audit.entryOf(accountId, row as audit.EntryRow), personal }));
    }
  };
  yield list(LISTS.audit, entries());
  noted.links.sort((a, b) => (a.chain === b.chain ? a.seq - b.seq : a.chain < b.chain ? -1 : 1));
  yield list(LISTS.chain, onePage(noted.links));
  if (withRecordings) for (const each of recorded) yield recordingFile(ctx, noted, each);
  yield file(
    "index.html",
    evidencePage({ ...about, fingerprint: publicOf(await evidenceKey(ctx)).fingerprint }, noted),
  );
  const key = await evidenceKey(ctx);
  yield file(PUBLIC_KEY, publicOf(key).publicKey);
  yield file(LINE_SUMS, noted.lineSums.join(""));
  yield { name: SUMS, chunks: [Buffer.from(noted.sums)] };
  yield { name: SIGNATURE, chunks: [sign(null, Buffer.from(noted.sums), key)] };
}

async function headsOf(ctx: Context, { tenantId, accountId }: Whose) {
  const ids = [...new Set([tenantId, accountId])];
  const heads = await Promise.all(ids.map((id) => chain.head(ctx.db, id)));
  return ids.map((id, n) => ({
    chain: id,
    seq: heads[n]?.seq ?? 0,
    hash: (heads[n] ?? emptyChain(id)).hash.toString("hex"),
  }));
}

/** Where rows are records that are chained, their links belong to the archive. */
async function noteLinks(
  ctx: Context,
  { links }: Noted,
  chainId: Uuid,
  kind: string,
  rows: { id?: unknown }[],
): Promise<void> {
  const refs = rows.map(({ id }) => id as Uuid);
  const found = refs.length === 0 ? [] : await evidence.links(ctx.db, chainId, kind, refs);
  for (const { seq, ref, digest, hash, before } of found)
    links.push({
      ...{ chain: chainId, seq, kind, ref, digest: digest.toString("hex") },
      ...{ before: (before ?? emptyChain(chainId).hash).toString("hex"), hash: hash.toString("hex") },
    });
}

/** A list's lines. Its digest is noted with its last. */
async function* linesOf(noted: Noted, name: string, pages: AsyncIterable<object[]>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const shown: object[] = [];
  noted.shown[name] = shown;
  let n = 0;
  for await (const rows of pages) {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
    for (const line of lines) noted.lineSums.push(sumLine(sha256Hex(line), `${name}:${++n}`));
    shown.push(...rows.slice(0, PAGE_ROWS - shown.length));
    const bytes = Buffer.from(lines.join(""));
    hash.update(bytes);
    yield bytes;
  }
  noted.counts[name] = n;
  noted.sums += sumLine(hash.digest("hex"), name);
}

async function* onePage(rows: object[]): AsyncGenerator<object[]> {
  yield rows;
}

async function* withPublicId(kind: "message" | "list", pages: AsyncIterable<object[]>): AsyncGenerator<object[]> {
  for await (const rows of pages) yield rows.map((row) => ({ ...row, id: publicId(kind, (row as { id: Uuid }).id) }));
}

const DECISIONS_AT_ONCE = 500;

/** Every decision of the gate about a text or a call, with the rule and what it was based on; newest first, number by number. */
async function* decisions(ctx: Context, tenantId: Uuid, phones: readonly string[]): AsyncGenerator<object[]> {
  for (const phone of phones) {
    for (let after: history.HistoryPage["after"]; ; ) {
      const page = { after, limit: DECISIONS_AT_ONCE - 1, ofAll: true };
      const rows = await history.ofPhone(ctx.db, tenantId, phone, page);
      if (rows.length > 0) yield rows.map((row) => ({ phone, ...row }));
      if (rows.length < DECISIONS_AT_ONCE) break;
      const { at, id, outcome } = rows.at(-1)!;
      after = { at, id, outcome };
    }
  }
}

/** Calls, with name, size and digest of each one's recording. */
async function* callsOf(
  ctx: Context,
  tenantId: Uuid,
  phones: readonly string[],
  recorded: { name: string; object: string; sha256: string }[],
): AsyncGenerator<object[]> {
  for await (const rows of evidence.pages(ctx.db, tenantId, "calls", phones)) {
    const page: object[] = [];
    for (const { id, recording, recording_ms, ...row } of rows) {
      const callId = publicId("call", id as Uuid);
      const digest = typeof recording === "string" ? await digestOf(ctx, recording) : undefined;
      const name = `recordings/${callId}.wav`;
      if (digest) recorded.push({ name, object: recording as string, sha256: digest.sha256 });
      page.push({ id: callId, ...row, recording: digest ? { name, ...digest, ms: recording_ms } : null });
    }
    yield page;
  }
}

async function digestOf(ctx: Context, object: string): Promise<{ bytes: number; sha256: string } | undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = await ctx.objects.read(object);
  if (!stream) return undefined;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  return { bytes, sha256: hash.digest("hex") };
}

function recordingFile(
  ctx: Context,
  noted: Noted,
  { name, object, sha256 }: { name: string; object: string; sha256: string },
): ArchivedFile {
  noted.sums += sumLine(sha256, name);
  return {
    name,
    // One that was erased meanwhile is missing then, and verifying says so.
    chunks: (async function* () {
      for await (const chunk of (await ctx.objects.read(object)) ?? []) yield chunk as Buffer;
    })(),
  };
}
