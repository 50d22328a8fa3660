import { timeOfId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry, ReadJournals, SeenMark } from "#ports/journal.ts";
import * as fence from "#store/system/fence.ts";
import { evidence } from "./evidence.ts";
import { reopen, type Unknown, type UnknownOf, unknownOf } from "./sends.ts";
import { type Control, direct, lastWishes, type Wish } from "./wishes.ts";
import { type Erase, eraseAgain, list, obeyAll, type Revocation, revoke, type Word } from "./words.ts";

/** Other machines may have seen the database some seconds later than the one that lifts the fence. */
const AHEAD = 1_000;
/** What the journal got this long before the backup is committed by then, whatever the clocks of two machines say. */
const MARGIN_MS = 3_600_000;
/** Files are left out by whole days: times in them may be a carrier's, of a text that was long on its way. */
const FILES_MARGIN_MS = 86_400_000;

/** What the journal told that the database did not know. */
export type Account = {
  optOuts: number;
  optIns: number;
  revoked: number;
  doNotCall: number;
  erased: number;
  campaigns: number;
  /** Texts that had been handed over and are looked up with their carrier now. */
  reopened: number;
  /** Outreach that the database has never seen, of newer campaigns and leads: only a person knows whether it comes again. */
  unknown: Unknown[];
  /** Why these journals cannot be all that there is to account for. */
  missing: string[];
  /** False when `missing` or `unknown` kept it up. */
  lifted: boolean;
};

export type Lift = {
  acceptUnknown: boolean;
  acceptMissing: boolean;
  /** To when the database was put back, where the fence does not say. */
  asOf?: Date | undefined;
  /** The furthest that this machine has seen a database. */
  seen(cluster: Uuid): SeenMark | undefined;
  /** The operations that did it the first time. */
  redo: { erase: Erase; control: Record<"sms" | "voice", Control> };
};

type Heard = {
  words: Word[];
  revocations: Revocation[];
  erased: Extract<JournalEntry, { kind: "erased" }>[];
  wishes: Wish[];
  removed: UnknownOf;
};

/**
 * Accounts for what happened since the day to which the database was put back, by the journals of all machines, and lifts
 * the restore fence: words about consent are obeyed again, persons are erased again, campaigns do what was last wished of them, and texts
 * that had left are looked up with their carrier and not sent anew. Journals that cannot be all keep the fence up unless `acceptMissing`,
 * and texts that the database knows nothing of unless `acceptUnknown`. Safe to repeat; does nothing where no fence is up.
 */
export async function liftFence(ctx: Context, read: ReadJournals, it: Lift): Promise<Account> {
  const account: Account = {
    ...{ optOuts: 0, optIns: 0, revoked: 0, doNotCall: 0, erased: 0, campaigns: 0, reopened: 0 },
    ...{ unknown: [], missing: [], lifted: false },
  };
  const cluster = await fence.read(ctx.db);
  if (cluster.fenced_at === null) return { ...account, lifted: true };
  if (cluster.fence_reason === fence.UNFINISHED) throw new Error(fence.UNFINISHED);
  const asOf = cluster.fenced_as_of ?? it.asOf;
  const before = (ms: number) => asOf && new Date(asOf.getTime() - ms);
  const [cut, since] = [before(MARGIN_MS), before(FILES_MARGIN_MS)];

  const proof = evidence(asOf, cluster.fence_nodes ?? []);
  const heard = await listen(ctx, read, { since, cut, proof, account });
  account.missing.push(...proof.missing());
  if (account.missing.length > 0 && !it.acceptMissing) return account;

  // Before the texts: an opt-out waits for what is open, and a text that is reopened is.
  const { optOuts, optIns } = await obeyAll(ctx, heard.words);
  Object.assign(account, { optOuts, optIns });
  for (const one of heard.revocations) if (await revoke(ctx, one)) account.revoked++;
  const when = { cut, asOf, control: it.redo.control };
  // After the words, which an erasure keeps as hashes.
  for (const one of heard.erased) if (await eraseAgain(ctx, it.redo.erase, one)) account.erased++;
  for (const one of lastWishes(heard.wishes)) if (await direct(ctx, one, when)) account.campaigns++;
  for await (const entry of read({ since, unreadable: () => {} })) {
    if (entry.kind !== "sends") continue;
    const texts = entry.texts.filter(({ ref }) => cut === undefined || timeOfId(ref) >= cut);
    if (texts.length === 0) continue;
    const { reopened, unknown } = await reopen(ctx, { ...entry, texts });
    account.reopened += reopened;
    account.unknown.push(...unknownOf(heard.removed, entry, unknown));
  }
  account.lifted = account.unknown.length === 0 || it.acceptUnknown;
  const mark = (it.seen(cluster.id)?.mark ?? 0) + AHEAD;
  if (account.lifted) await ctx.db.transaction((tx) => fence.lower(tx, mark));
  return account;
}

/** Reads all but the texts, which may be many millions. Lists of numbers, which may be long, are applied as they come. */
async function listen(
  ctx: Context,
  read: ReadJournals,
  it: { since: Date | undefined; cut: Date | undefined; proof: ReturnType<typeof evidence>; account: Account },
): Promise<Heard> {
  const heard: Heard = {
    words: [],
    revocations: [],
    erased: [],
    wishes: [],
    removed: { campaigns: new Set(), numbers: new Set() },
  };
  for await (const entry of read({ since: it.since, unreadable: it.proof.unreadable })) {
    it.proof.heard(entry);
    switch (entry.kind) {
      case "opt_out":
      case "opt_in":
        heard.words.push(entry);
        break;
      case "consent_revoked":
        heard.revocations.push(entry);
        break;
      case "erased":
        heard.erased.push(entry);
        break;
      case "campaign":
        heard.wishes.push(entry);
        break;
      case "demo_removed":
        for (const id of entry.campaignIds) heard.removed.campaigns.add(id);
        for (const number of entry.numbers) heard.removed.numbers.add(`${entry.tenantId} ${number}`);
        break;
      case "do_not_call":
        // What was listed before that and is not there was taken off again.
        if (it.cut === undefined || new Date(entry.at) >= it.cut) it.account.doNotCall += await list(ctx, entry);
    }
  }
  return heard;
}
