import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import type { Tx } from "#store/database/db.ts";
import * as fence from "#store/system/fence.ts";
import * as witnesses from "#store/system/witnesses.ts";

/** Processes that were seen this shortly before the last of all ran until the other server took over. */
const RAN_UNTIL_MS = 30_000;
/** For so long one that ran then may take to connect to the other server, and say what it knows. */
const ASKED_FOR_MS = 30_000;
/** Those that were killed are forgotten after a while. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/** Of a journal: what was written since a moment, and what is written from now on. */
export type RecentEntries = {
  /** Everything that was appended since the last `forget`, and what is being appended. */
  list(): readonly JournalEntry[];
  /** Notes where it has come; called again with that, what came before is not listed any more. */
  here(): number;
  forget(before: number): void;
};

export type Witness = {
  /** One step further; to be called by the second. */
  step(): Promise<void>;
  /** The process ends, and has nothing on its way. */
  leave(): Promise<void>;
};

type WitnessParts = {
  processId: Uuid;
  role: string;
  release: string;
  recent: readonly RecentEntries[];
  /** By which it may hand over what it claimed: its place in the register of nodes. Undefined while it may not, and for a process that never does. */
  place(): Uuid | undefined;
  /** What a session's server says of itself. */
  server?: (tx: Tx) => Promise<witnesses.Server>;
};

/** `same`: the server is the one that is known. `missing`: it is another, and behind. */
type Step = { outcome: "same" | "vouched" | "missing" | "fenced" | "waits"; timeline: number; isSynchronous: boolean };

/**
 * Says of this process, by the second, how far the database has come with what it commits; and when the database is another server than before, whether
 * all of that is there. Nothing is claimed until every process that ran has said so. What is missing raises the restore fence; and so does a process that
 * cannot be asked, unless commits waited for a stand-in, as one that took over by itself then has them all.
 */
export function witness(ctx: Context, parts: WitnessParts): Witness {
  const { processId, role, release, recent, place, server: ask = witnesses.server } = parts;
  /** The timeline of which this process knows that nothing of its own is missing. */
  let own: number | undefined;
  let step = 0;
  /** What was committed before this step began is in every database that has the step. */
  let reached: { step: number; isSynchronous: boolean } | undefined;
  let placeThen: Uuid | undefined;
  let waitingSince: number | undefined;

  const raise = (tx: Tx, reason: string, asOf: Date | null) =>
    fence.raise(tx, { reason: `another server of the database took over${reason}`, asOf, now: ctx.now() });

  /** Why the server that took over cannot be used, by what this process knows. */
  const objection = async (tx: Tx, mine: witnesses.Witness | undefined, isTrusted: boolean) => {
    if (reached && (mine?.step ?? 0) < reached.step) return " without the last commits";
    const entries = recent.flatMap((one) => one.list());
    const missing = await firstMissing(tx, entries, isTrusted);
    return missing && ` without ${missing}`;
  };

  const take = async (tx: Tx): Promise<Step | undefined> => {
    const server = await ask(tx);
    const known = await witnesses.known(tx);
    // It cannot say, and never could.
    if (server.timeline === null) return undefined;
    const { timeline, is_synchronous: isSynchronous } = { ...server, timeline: server.timeline };
    const is = (outcome: Step["outcome"]): Step => ({ outcome, timeline, isSynchronous });
    // Whoever lifts it accounts for everything by the journals.
    if (known.fenced_at !== null) return is("fenced");
    if (known.timeline === null) await witnesses.settle(tx, timeline);
    const isOwn = own === undefined || own === timeline;
    const note = (at: number, seen: Date) =>
      witnesses.note(tx, { process_id: processId, role, release, step: at, timeline, seen_at: seen });
    if ((known.timeline ?? timeline) === timeline && isOwn) {
      if (known.is_synchronous !== isSynchronous) await witnesses.noteCommits(tx, isSynchronous);
      await note(step + 1, ctx.now());
      return is("same");
    }
    // It may still hand over what it claimed on the former server.
    if (placeThen !== undefined && place() === placeThen) return is("waits");
    const all = await witnesses.list(tx);
    const lastSeen = all.length === 0 ? null : new Date(Math.max(...all.map(({ seen_at }) => seen_at.getTime())));
    const isTrusted = known.is_synchronous && reached?.isSynchronous !== false;
    const mine = all.find((one) => one.process_id === processId);
    const against = isOwn ? undefined : await objection(tx, mine, isTrusted);
    if (against !== undefined) {
      await raise(tx, against, lastSeen);
      return is("missing");
    }
    // Seen as before: by that it is known who ran until then.
    await note(step, mine?.seen_at ?? lastSeen ?? ctx.now());
    if (known.timeline === timeline) return is("vouched");
    const asked = all.filter(
      (one) =>
        one.process_id !== processId &&
        one.timeline !== timeline &&
        one.seen_at.getTime() > lastSeen!.getTime() - RAN_UNTIL_MS,
    );
    waitingSince ??= performance.now();
    if (asked.length > 0 && performance.now() - waitingSince < ASKED_FOR_MS) return is("vouched");
    if (asked.length > 0 && !isTrusted) {
      const { role: of, process_id: id } = asked[0]!;
      await raise(tx, `; whether it is behind is not known: the ${of} ${id} does not answer`, lastSeen);
      return is("missing");
    }
    await witnesses.settle(tx, timeline);
    return is("vouched");
  };

  return {
    async step() {
      const heres = recent.map((one) => one.here());
      const placeNow = place();
      const taken = await ctx.db.transaction(take);
      const forget = () => {
        for (const [i, one] of recent.entries()) one.forget(heres[i]!);
      };
      if (taken === undefined) return forget();
      if (taken.outcome === "waits") return;
      const { outcome, timeline, isSynchronous } = taken;
      if (outcome === "missing")
        ctx.log.error({}, "the restore fence is up: another server of the database took over, and may be behind");
      if (outcome === "vouched") {
        if (own !== timeline)
          ctx.log.warn({ timeline }, "another server of the database took over; nothing of this process is missing");
        own = timeline;
        return;
      }
      if (outcome === "missing") return;
      own = timeline;
      waitingSince = undefined;
      reached = outcome === "same" ? { step: ++step, isSynchronous } : undefined;
      placeThen = placeNow;
      forget();
    },
    async leave() {
      const before = new Date(ctx.now().getTime() - FORGOTTEN_AFTER_MS);
      await ctx.db.transaction(async (tx) => {
        // From a server that has not been looked at it does not leave: it is to be asked.
        if ((await ask(tx)).timeline === own) await witnesses.leave(tx, processId, before);
      });
    },
  };
}

/** What a journal has of the last moments and the database does not, in words. What `trusted` commits acknowledged is there: then only texts can be amiss. */
async function firstMissing(tx: Tx, entries: readonly JournalEntry[], trusted: boolean): Promise<string | undefined> {
  const sends = entries.filter((entry) => entry.kind === "sends");
  for (const [tenantId, theirs] of Map.groupBy(sends, (entry) => entry.tenantId)) {
    const refs = theirs.flatMap(({ texts }) => texts.map(({ ref }) => ref));
    const missing = await witnesses.missing(tx, tenantId, refs, { marked: !trusted });
    if (missing.length > 0) return `${missing.length} texts or calls that may have left`;
  }
  if (trusted) return undefined;
  const words = entries.filter(
    (entry): entry is Extract<JournalEntry, { phone: string; callId?: Uuid }> => entry.kind === "opt_out",
  );
  for (const [tenantId, theirs] of Map.groupBy(words, (entry) => entry.tenantId)) {
    const optedOut = await witnesses.optedOutOf(
      tx,
      tenantId,
      theirs.map(({ phone }) => phone),
    );
    if (theirs.some(({ phone }) => !optedOut.has(phone))) return "an opt-out";
  }
  const SAFE_WITHOUT = ["sends", "opt_out", "opt_in", "alive", "chain_head"];
  return entries.find(({ kind }) => !SAFE_WITHOUT.includes(kind)) && "what may be an order to stop";
}
