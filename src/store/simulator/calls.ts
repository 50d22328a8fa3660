import type { CallStore, OwedCall } from "#ports/call-store.ts";
import type { CallTraffic, HandsetAction, HandsetCall } from "#ports/handset-network.ts";
import { clockOffsetMs } from "#store/accounts/tenants.ts";
import { changing, changingAndReading, crossTenant, type Db, statement } from "#store/database/db.ts";
import { endsOf, IS_AFTER_OPT_OUT, isRowOf, owingBy, seqsByRef, serveBy, takeSeqs, WORDS } from "./records.ts";
import { findScripts } from "./simulator.ts";

const acceptCalls = changing(
  "simulator-accept-calls",
  `insert into simulator_calls (tenant_id, seq, handset, number, direction, at, ref, campaign, n, ends_by, outside_window)
   select $1, nextval(pg_get_serial_sequence('simulator_texts', 'seq')), handset, number, 'to_handset', at, ref, campaign, n, ends_by,
     outside_window
   from unnest($2::text[], $3::text[], $4::timestamptz[], $5::uuid[], $6::text[], $7::int[], $8::timestamptz[], $9::boolean[])
     as accepted (handset, number, at, ref, campaign, n, ends_by, outside_window)
   returning seq, ref`,
);

const endCalls = changing(
  "simulator-end-calls",
  `update simulator_calls set outcome = ended.outcome, ended_at = ended.ended_at, duration_ms = ended.duration_ms,
     heard = ended.heard::jsonb
   from unnest($2::text[], $3::bigint[], $4::text[], $5::timestamptz[], $6::int[], $7::text[])
     as ended (handset, seq, outcome, ended_at, duration_ms, heard)
   where ${isRowOf("simulator_calls", "ended")}`,
);

const acknowledgeOptOuts = changing(
  "simulator-acknowledge-calls",
  `update simulator_calls set acknowledged_seq = known.acknowledged_seq
   from unnest($2::text[], $3::bigint[], $4::bigint[]) as known (handset, seq, acknowledged_seq)
   where ${isRowOf("simulator_calls", "known")}`,
);

const KEY = "tenant_id = $1 and handset = $2 and seq = $3";

const playCall = changing(
  "simulator-play-call",
  `update simulator_calls set is_played = true, sound_at = $4 where ${KEY}`,
);

const noteCall = changing(
  "simulator-note-call",
  `update simulator_calls set answered_at = coalesce(answered_at, $4), said = said || $5::jsonb, is_spoken = is_spoken or $6
   where ${KEY}`,
);

const askCall = changing(
  "simulator-ask-call",
  `update simulator_calls set asked = asked || $4::jsonb
   where ${KEY} and is_played and outcome is null and ends_by > $5 and (answered_at is not null) = $6
     and not (is_spoken and $7) returning seq`,
);

const takeAsked = changingAndReading(
  "simulator-take-asked",
  `with old as (select asked from simulator_calls where ${KEY} and asked <> '[]' for update)
   update simulator_calls set asked = '[]' from old where ${KEY} returning old.asked`,
);

const findSound = statement(
  "simulator-call-sound",
  `select sound_at from simulator_calls
   where ${KEY} and sound_at is not null and answered_at is null and outcome is null and ends_by > $4`,
);

const findRefs = statement(
  "simulator-calls-by-refs",
  "select ref, seq from simulator_calls where tenant_id = $1 and ref = any($2::uuid[])",
);

const insertFromHandset = changing(
  "simulator-call-from-handset",
  `insert into simulator_calls (tenant_id, seq, handset, number, direction, at, ends_by, says, owed_at)
   values ($1, nextval(pg_get_serial_sequence('simulator_texts', 'seq')), $2, $3, 'from_handset', $4, $5, $6, $4)
   returning seq`,
);

const owingTenants = crossTenant(
  "simulator-calls-owing",
  `select id, clock_offset_ms from tenants
   where exists (
     select from simulator_calls where tenant_id = tenants.id and owed_at <= $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond')`,
);

const takeOwed = statement(
  "simulator-take-owed-calls",
  `select seq, handset, number, says, at from simulator_calls
   where tenant_id = $1 and owed_at <= $2 order by owed_at, seq limit $3 for update skip locked`,
);

const strikeOff = changing(
  "simulator-strike-off-calls",
  `update simulator_calls set owed_at = null
   from unnest($2::text[], $3::bigint[]) as done (handset, seq)
   where ${isRowOf("simulator_calls", "done")}`,
);

const readHandset = statement(
  "simulator-read-handset-calls",
  `select direction, handset, number, at, coalesce(outcome, case when ends_by < $3 then 'lost' else 'ongoing' end) as outcome,
     duration_ms, heard, 'sim_' || seq as carrier_id, said,
     case when is_played and outcome is null and ends_by >= $3 then case when answered_at is null then 'ringing' else 'talking' end end as stage,
     case when outcome is not null or ends_by < $3 then null when is_spoken then 'in_use'
       when sound_at is not null and answered_at is null then 'offered' end as microphone
   from simulator_calls where tenant_id = $1 and handset = $2 order by seq limit 10000`,
);

// Calls without a reported end overlap with none.
const countTraffic = statement(
  "simulator-call-traffic",
  `with taken as (
     select *, row_number() over (partition by handset, campaign, n order by seq) as time,
       max(ended_at) over (partition by handset, campaign order by seq rows between unbounded preceding and 1 preceding) as busy_until
     from simulator_calls where tenant_id = $1 and direction = 'to_handset' and ($2::text is null or campaign = $2)),
   ${WORDS}
   select count(*)::int as accepted, count(*) filter (where campaign <> '' and time = 1)::int as distinct,
     count(*) filter (where campaign <> '' and (time > 1 or at < busy_until))::int as duplicates,
     count(*) filter (where ${IS_AFTER_OPT_OUT})::int as after_opt_out,
     count(*) filter (where taken.outside_window)::int as outside_window
   from taken`,
);

/** A phone that calls gives up after this long: no call of ours may last longer either. */
const LONGEST_MS = 7_200_000;

/** The simulated carrier's records of calls, in a table of their own. */
export function simulatorCallStore(db: Db): CallStore {
  return {
    scripts: (tenantId, phones) => findScripts(db, tenantId, phones),
    async accept(tenantId, calls) {
      const seqs = await seqsByRef(db, acceptCalls, [
        tenantId,
        calls.map((call) => call.handset),
        calls.map((call) => call.number),
        calls.map((call) => call.at),
        calls.map((call) => call.ref),
        calls.map((call) => call.campaign),
        calls.map((call) => call.n),
        calls.map((call) => call.endsBy),
        calls.map((call) => call.outsideWindow),
      ]);
      return calls.map((call) => seqs.get(call.ref)!);
    },
    async end(tenantId, calls) {
      await db.run(endCalls, [
        tenantId,
        calls.map((call) => call.handset),
        calls.map((call) => call.seq),
        calls.map((call) => call.outcome),
        calls.map((call) => call.endedAt),
        calls.map((call) => call.durationMs),
        calls.map((call) => JSON.stringify(call.heard)),
      ]);
    },
    async acknowledge(tenantId, calls) {
      const known = [calls.map((call) => call.handset), calls.map((call) => call.seq)];
      await db.transaction(async (tx) => {
        await tx.run(acknowledgeOptOuts, [tenantId, ...known, await takeSeqs(tx, calls.length)]);
      });
    },
    async play(tenantId, { handset, seq }, soundAt) {
      await db.run(playCall, [tenantId, handset, seq, soundAt ?? null]);
    },
    async note(tenantId, { handset, seq }, note) {
      const [answeredAt, line, isSpoken] =
        "line" in note ? [null, JSON.stringify([note.line]), false] : [note.answeredAt, "[]", note.isSpoken];
      await db.run(noteCall, [tenantId, handset, seq, answeredAt, line, isSpoken]);
    },
    async ask(tenantId, { handset, seq }, action, now) {
      const isOfTalk = action.action === "speak" || action.action === "hang_up";
      const isTyped = action.action === "speak";
      const values = [tenantId, handset, seq, JSON.stringify([action]), now, isOfTalk, isTyped];
      return (await db.first(askCall, values)) !== undefined;
    },
    async soundAt(tenantId, { handset, seq }, now) {
      return (await db.first<{ sound_at: string }>(findSound, [tenantId, handset, seq, now]))?.sound_at;
    },
    async takeAsked(tenantId, { handset, seq }) {
      return (await db.first<{ asked: HandsetAction[] }>(takeAsked, [tenantId, handset, seq]))?.asked ?? [];
    },
    byRefs: (tenantId, refs) => seqsByRef(db, findRefs, [tenantId, refs]),
    async fromHandset(tenantId, { handset, number, says, at }) {
      const endsBy = new Date(at.getTime() + LONGEST_MS);
      const row = await db.first<{ seq: string }>(insertFromHandset, [tenantId, handset, number, at, endsBy, says]);
      return row!.seq;
    },
    owing: (now) => owingBy(db, owingTenants, now),
    serveOwed: (tenantId, now, limit, serve) =>
      serveBy(
        db,
        { take: takeOwed, strikeOff, isAcknowledged: false },
        [tenantId, now, limit],
        async (owed: readonly OwedCall[]) => ({ served: owed, answer: await serve(owed) }),
      ),
    clockOffsetMs: (tenantId) => clockOffsetMs(db, tenantId),
    async read(tenantId, handset, now) {
      type Row = Omit<HandsetCall, "from" | "to"> & { handset: string; number: string };
      const rows = await db.rows<Row>(readHandset, [tenantId, handset, now]);
      return rows.map(({ handset: phone, number, direction, ...row }) => ({
        direction,
        ...endsOf({ direction, handset: phone, number }),
        ...row,
      }));
    },
    async traffic(tenantId, campaign) {
      return (await db.first<CallTraffic>(countTraffic, [tenantId, campaign ?? null]))!;
    },
  };
}
