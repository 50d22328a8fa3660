import { timeOfId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry, ReadJournals, SeenMark } from "#ports/journal.ts";
import * as fence from "#store/system/fence.ts";
import { type CampaignEntry, type Control, direct, lastRequests } from "./campaign-requests.ts";
import { evidence } from "./evidence.ts";
import { type NumberRestEntry, restAgain } from "./number-rests.ts";
import { archiveAgain, type OrganizationEntry } from "./organization-requests.ts";
import { type SendingEntry, stopAgain } from "./sending-requests.ts";
import { reopen, type Unknown, type UnknownOf, unknownOf } from "./sends.ts";
import { type Erase, eraseAgain, list, type Revocation, replayOptOuts, revoke, type Word } from "./words.ts";

/** Other machines may have seen the database some seconds later than the one that lifts the fence. */
const AHEAD = 1_000;
/** Entries this much older than the backup are committed in it, whatever the difference between the clocks of two machines. */
const MARGIN_MS = 3_600_000;
/** Files are left out by whole days: times in them may be a carrier's, of a text that was delayed. */
const FILES_MARGIN_MS = 86_400_000;

/** What was in the journal but not in the database. */
export type Account = {
  optOuts: number;
  optIns: number;
  revoked: number;
  doNotCall: number;
  erased: number;
  campaigns: number;
  /** Texts that had been handed over and are looked up with their carrier now. */
  reopened: number;
  /** Outreach that the database does not have, of newer campaigns and leads: only a person knows whether it will be created again. */
  unknown: Unknown[];
  /** Why these journals cannot be complete. */
  missing: string[];
  /** False when `missing` or `unknown` kept it up. */
  lifted: boolean;
};

export type Lift = {
  acceptUnknown: boolean;
  acceptMissing: boolean;
  /** The time to which the database was restored, where the fence does not have it. */
  asOf?: Date | undefined;
  /** The highest mark of a database that this machine has recorded. */
  seen(cluster: Uuid): SeenMark | undefined;
  /** The operations that made the changes the first time. */
  redo: { erase: Erase; control: Record<"sms" | "voice", Control> };
};

type Found = {
  words: Word[];
  revocations: Revocation[];
  erased: Extract<JournalEntry, { kind: "erased" }>[];
  campaigns: CampaignEntry[];
  organizations: OrganizationEntry[];
  sending: SendingEntry[];
  numberRests: NumberRestEntry[];
  removed: UnknownOf;
};

/**
 * Replays what happened since the day to which the database was restored, from the journals of all machines, and lifts the restore fence: opt-outs
 * and consents are applied again, persons are erased again, organizations are archived again, numbers rest again, campaigns are paused, resumed or deleted as last requested, and texts that had left are
 * looked up with their carrier and not sent again. Incomplete journals keep the fence up unless `acceptMissing`, and so do texts that the database
 * does not have unless `acceptUnknown`. Safe to repeat; does nothing where no fence is up.
 */
export async function liftFence(ctx: Context, read: ReadJournals, lift: Lift): Promise<Account> {
  const account: Account = {
    ...{ optOuts: 0, optIns: 0, revoked: 0, doNotCall: 0, erased: 0, campaigns: 0, reopened: 0 },
    ...{ unknown: [], missing: [], lifted: false },
  };
  const cluster = await fence.read(ctx.db);
  if (cluster.fenced_at === null) return { ...account, lifted: true };
  if (cluster.fence_reason === fence.UNFINISHED) throw new Error(fence.UNFINISHED);
  const asOf = cluster.fenced_as_of ?? lift.asOf;
  const before = (ms: number) => asOf && new Date(asOf.getTime() - ms);
  const [cut, since] = [before(MARGIN_MS), before(FILES_MARGIN_MS)];

  const proof = evidence(asOf, cluster.fence_nodes ?? []);
  const found = await collect(ctx, read, { since, cut, proof, account });
  account.missing.push(...proof.missing());
  if (account.missing.length > 0 && !lift.acceptMissing) return account;

  // Before the texts are reopened: an operation that opts a phone out waits for what is open, and these would be.
  const { optOuts, optIns } = await replayOptOuts(ctx, found.words);
  Object.assign(account, { optOuts, optIns });
  for (const one of found.revocations) if (await revoke(ctx, one)) account.revoked++;
  const when = { asOf, control: lift.redo.control };
  // After the opt-outs and consents, which an erasure keeps as hashes.
  for (const one of found.erased) if (await eraseAgain(ctx, lift.redo.erase, one)) account.erased++;
  await archiveAgain(ctx, found.organizations, { cut, asOf });
  for (const one of lastRequests(found.campaigns, cut)) if (await direct(ctx, one, when)) account.campaigns++;
  await stopAgain(ctx, found.sending, { cut, asOf });
  await restAgain(ctx, found.numberRests, { cut, asOf });
  for await (const entry of read({ since, unreadable: () => {} })) {
    if (entry.kind !== "sends") continue;
    const texts = entry.texts.filter(({ ref }) => cut === undefined || timeOfId(ref) >= cut);
    if (texts.length === 0) continue;
    const { reopened, unknown } = await reopen(ctx, { ...entry, texts });
    account.reopened += reopened;
    account.unknown.push(...unknownOf(found.removed, entry, unknown));
  }
  account.lifted = account.unknown.length === 0 || lift.acceptUnknown;
  const mark = (lift.seen(cluster.id)?.mark ?? 0) + AHEAD;
  if (account.lifted) await ctx.db.transaction((tx) => fence.lower(tx, mark));
  return account;
}

/** Reads everything except the texts, which may be many millions. Lists of numbers, which may be long, are applied as they are read. */
async function collect(
  ctx: Context,
  read: ReadJournals,
  span: { since: Date | undefined; cut: Date | undefined; proof: ReturnType<typeof evidence>; account: Account },
): Promise<Found> {
  const found: Found = {
    words: [],
    revocations: [],
    erased: [],
    campaigns: [],
    organizations: [],
    sending: [],
    numberRests: [],
    removed: { campaigns: new Set(), numbers: new Set() },
  };
  for await (const entry of read({ since: span.since, unreadable: span.proof.unreadable })) {
    span.proof.add(entry);
    switch (entry.kind) {
      case "opt_out":
      case "opt_in":
        found.words.push(entry);
        break;
      case "consent_revoked":
        found.revocations.push(entry);
        break;
      case "erased":
        found.erased.push(entry);
        break;
      case "campaign":
        found.campaigns.push(entry);
        break;
      case "organization":
        found.organizations.push(entry);
        break;
      case "sending":
        found.sending.push(entry);
        break;
      case "number_rest":
        found.numberRests.push(entry);
        break;
      case "demo_removed":
        for (const id of entry.campaignIds) found.removed.campaigns.add(id);
        for (const number of entry.numbers) found.removed.numbers.add(`${entry.tenantId} ${number}`);
        break;
      case "do_not_call":
        // A number that was listed before then and is not there now was removed again.
        if (span.cut === undefined || new Date(entry.at) >= span.cut) span.account.doNotCall += await list(ctx, entry);
    }
  }
  return found;
}
