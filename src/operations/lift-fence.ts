import { NO_ID, type Uuid } from "#domain/id.ts";
import { isOutreach } from "#domain/message.ts";
import { piecesOf } from "#domain/pieces.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as doNotCall from "#store/do-not-call.ts";
import * as fence from "#store/fence.ts";
import * as optOuts from "#store/opt-outs.ts";
import * as tenants from "#store/tenants.ts";
import type { Context } from "./context.ts";

const PHONES_A_STATEMENT = 5_000;
/** Other machines may have seen the database some seconds later than the one that lifts the fence. */
const AHEAD = 1_000;

/** What the journal told that the database did not know. */
export type Account = {
  optOuts: number;
  optIns: number;
  doNotCall: number;
  /** Texts that had been handed over and are looked up with their carrier now. */
  reopened: number;
  /** Outreach that the database has never seen, of newer campaigns and leads: only a person knows whether it comes again. */
  unknown: { tenantId: Uuid; at: string; phone: string; campaignId: Uuid; messageId: Uuid }[];
  /** False when `unknown` kept it up. */
  lifted: boolean;
};

type Word = Extract<JournalEntry, { kind: "opt_out" | "opt_in" }>;

/**
 * Accounts for what happened since the day to which the database was put back, by the journals of all machines, and lifts
 * the restore fence: words about consent are obeyed again, texts that had left are looked up with their carrier and
 * not sent anew. Texts that the database knows nothing of keep the fence up unless `acceptUnknown`. `mark` is the furthest
 * that any machine has seen the database. Safe to repeat.
 */
export async function liftFence(
  ctx: Context,
  entries: AsyncIterable<JournalEntry>,
  it: { acceptUnknown: boolean; mark: number },
): Promise<Account> {
  const account: Account = { optOuts: 0, optIns: 0, doNotCall: 0, reopened: 0, unknown: [], lifted: false };
  const words = new Map<string, Word>();
  const sends: Extract<JournalEntry, { kind: "sends" }>[] = [];
  for await (const entry of entries) {
    if (entry.kind === "sends") sends.push(entry);
    else if (entry.kind === "do_not_call") account.doNotCall += await list(ctx, entry);
    else {
      const key = `${entry.tenantId} ${entry.phone}`;
      const known = words.get(key);
      if (!known || known.at <= entry.at) words.set(key, entry);
    }
  }
  // Before the texts: an opt-out waits for what is open, and a text that is reopened is.
  for (const word of words.values()) {
    if (await obey(ctx, word)) account[word.kind === "opt_out" ? "optOuts" : "optIns"]++;
  }
  for (const entry of sends) {
    const { reopened, unknown } = await reopen(ctx, entry);
    account.reopened += reopened;
    // An answer that it has never seen was to a text that it has never seen.
    for (const { phone, campaignId, messageId } of unknown.filter(
      ({ purpose }) => purpose !== "callback" && isOutreach(purpose),
    )) {
      account.unknown.push({ tenantId: entry.tenantId, at: entry.at, phone, campaignId, messageId });
    }
  }
  account.lifted = account.unknown.length === 0 || it.acceptUnknown;
  if (account.lifted) await ctx.db.transaction((tx) => fence.lower(tx, it.mark + AHEAD));
  return account;
}

/** True when it changed anything. */
function obey(ctx: Context, { tenantId, phone, kind, at, source }: Word): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    if (!(await tenants.exists(tx, tenantId))) return false;
    const [consent] = await optOuts.lock(tx, tenantId, [phone]);
    const said = new Date(at);
    if (consent!.keyword_at !== null && said <= consent!.keyword_at) return false;
    if (kind === "opt_in") {
      if (consent!.opted_out_at === null) return false;
      await optOuts.optIn(tx, tenantId, phone, said);
      return true;
    }
    return optOuts.optOut(tx, tenantId, phone, { source, quote: null, at: said, newId: ctx.newId });
  });
}

async function list(ctx: Context, entry: Extract<JournalEntry, { kind: "do_not_call" }>): Promise<number> {
  let added = 0;
  for (const piece of piecesOf(entry.phones.toSorted(), PHONES_A_STATEMENT)) {
    added += await ctx.db.transaction(async (tx) => {
      if (!(await tenants.exists(tx, entry.tenantId))) return 0;
      await optOuts.lock(tx, entry.tenantId, piece);
      return doNotCall.insert(tx, entry.tenantId, piece, {
        organization_id: entry.organizationId ?? NO_ID,
        reason: "restored from the journal",
        created_at: new Date(entry.at),
        source: "journal",
        added_by: null,
      });
    });
  }
  return added;
}

function reopen(ctx: Context, entry: Extract<JournalEntry, { kind: "sends" }>) {
  const { tenantId, nodeId, carrier, sender } = entry;
  return ctx.db.transaction((tx) =>
    fence.reopenAttempts(tx, tenantId, entry.texts, {
      channel: entry.channel ?? "sms",
      nodeId,
      carrier,
      sender,
      at: new Date(entry.at),
      checkAt: ctx.now(),
    }),
  );
}
