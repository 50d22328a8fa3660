import type { Uuid } from "#domain/values/id.ts";
import type {
  HandsetOutgoing,
  HandsetScript,
  HandsetText,
  ListedHandset,
  SimulatorStore,
  Traffic,
} from "#ports/handset-network.ts";
import { changing, crossTenant, type Db, statement, type Tx } from "#store/database/db.ts";
import { endsOf, IS_AFTER_OPT_OUT, isRowOf, owingBy, seqsByRef, serveBy, WORDS } from "./records.ts";

const acceptTexts = changing(
  "simulator-accept",
  `insert into simulator_texts (tenant_id, handset, number, direction, text, at, ref, campaign, step, purpose, outside_window, owed, owed_at, media_urls)
   select $1, handset, number, 'to_handset', text, at, ref, campaign, step, purpose, outside_window, 'receipt', receipt_at,
     string_to_array(media, E'\\n')
   from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::text[], $8::int[], $9::text[], $10::boolean[],
       $11::timestamptz[], $12::text[])
     as accepted (handset, number, text, at, ref, campaign, step, purpose, outside_window, receipt_at, media)
   returning seq, ref`,
);

const insertFromHandsets = changing(
  "simulator-from-handsets",
  `insert into simulator_texts (tenant_id, handset, number, direction, text, at, owed, owed_at)
   select $1, handset, number, 'from_handset', text, at, 'inbound', at
   from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) as it (handset, number, text, at)
   returning seq`,
);

const findRefs = statement(
  "simulator-by-refs",
  "select ref, seq from simulator_texts where tenant_id = $1 and ref = any($2::uuid[])",
);

const owingTenants = crossTenant(
  "simulator-owing",
  `select id, clock_offset_ms from tenants
   where exists (
     select from simulator_texts where tenant_id = tenants.id and owed is not null
       and owed_at <= $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond')`,
);

const takeOwed = statement(
  "simulator-take-owed",
  `select seq, owed as kind, handset, number, text, at, ref, purpose from simulator_texts
   where tenant_id = $1 and owed is not null and owed_at <= $2
   order by owed_at, seq limit $3 for update skip locked`,
);

// An inbound text is acknowledged: whatever the carrier takes from here on came after it.
const strikeOff = changing(
  "simulator-strike-off",
  `update simulator_texts set owed = null, acknowledged_seq = case when owed = 'inbound' then done.acknowledged_seq end
   from unnest($2::text[], $3::bigint[], $4::bigint[]) as done (handset, seq, acknowledged_seq)
   where ${isRowOf("simulator_texts", "done")}`,
);

const listScripts = statement(
  "simulator-scripts",
  `select phone, behavior, says, answer_delay_ms, greeting, hangs_up_after_ms from simulator_handsets
   where tenant_id = $1 and phone = any($2::text[])`,
);

const countSaid = statement(
  "simulator-count-said",
  `select handset, number, count(*)::int as n from simulator_texts
   where tenant_id = $1 and handset = any($2::text[]) and direction = 'from_handset' group by handset, number`,
);

const upsertScript = changing(
  "simulator-save-script",
  `insert into simulator_handsets (tenant_id, phone, behavior, says, answer_delay_ms, greeting, hangs_up_after_ms)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (tenant_id, phone) do update set behavior = excluded.behavior, says = excluded.says,
     answer_delay_ms = excluded.answer_delay_ms, greeting = excluded.greeting, hangs_up_after_ms = excluded.hangs_up_after_ms`,
);

const readHandset = statement(
  "simulator-read-handset",
  "select direction, handset, number, text, media_urls, at, ref from simulator_texts where tenant_id = $1 and handset = $2 order by seq limit 10000",
);

const next = (after: string): string => `least(
  (select handset from simulator_texts where tenant_id = $1 and handset > ${after} order by handset limit 1),
  (select handset from simulator_calls where tenant_id = $1 and handset > ${after} order by handset limit 1),
  (select phone from simulator_handsets where tenant_id = $1 and phone > ${after} order by phone limit 1))`;

// From phone to phone along the keys: what each has had is not read.
const listHandsets = statement(
  "simulator-list-handsets",
  `with recursive seen (phone, n) as (
     select ${next("$2")}, 1
     union all
     select ${next("seen.phone")}, n + 1 from seen where phone is not null and n < $3)
   select seen.phone, script.behavior,
     (select at from simulator_texts where tenant_id = $1 and handset = seen.phone order by seq desc limit 1) as last_text_at,
     (select at from simulator_calls where tenant_id = $1 and handset = seen.phone order by seq desc limit 1) as last_call_at
   from seen
   left join simulator_handsets script on script.tenant_id = $1 and script.phone = seen.phone
   where seen.phone is not null order by n`,
);

// The one confirmation of each STOP is allowed; it is the only text that carries that purpose.
const countTraffic = statement(
  "simulator-traffic",
  `with taken as (
     select * from simulator_texts where tenant_id = $1 and direction = 'to_handset' and ($2::text is null or campaign = $2)),
   step as (select handset, campaign, step, count(*) as n from taken where campaign <> '' group by handset, campaign, step),
   ${WORDS}
   select count(*)::int as accepted, (select count(*)::int from step) as distinct,
     (select coalesce(sum(n - 1), 0)::int from step) as duplicates,
     count(*) filter (where taken.purpose not in ('confirmation', 'help') and ${IS_AFTER_OPT_OUT})::int as after_opt_out,
     count(*) filter (where taken.outside_window)::int as outside_window
   from taken`,
);

/** The scripts of these phones, by phone; absent: none. */
export async function findScripts(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
): Promise<Map<string, HandsetScript>> {
  type Row = { phone: string } & Record<keyof HandsetScript, unknown>;
  const rows = await tx.rows<Row>(listScripts, [tenantId, phones]);
  return new Map(
    rows.map(({ phone, ...script }) => [
      phone,
      Object.fromEntries(Object.entries(script).filter(([, value]) => value !== null)) as HandsetScript,
    ]),
  );
}

/** The simulated carrier's records, in tables of their own. */
export function simulatorStore(db: Db): SimulatorStore {
  const fromHandsets = async (on: Pick<Db, "rows">, tenantId: Uuid, texts: readonly HandsetOutgoing[]) => {
    if (texts.length === 0) return [];
    const rows = await on.rows<{ seq: string }>(insertFromHandsets, [
      tenantId,
      texts.map((text) => text.handset),
      texts.map((text) => text.number),
      texts.map((text) => text.text),
      texts.map((text) => text.at),
    ]);
    return rows.map((row) => row.seq);
  };
  return {
    async accept(tenantId, texts) {
      const seqs = await seqsByRef(db, acceptTexts, [
        tenantId,
        texts.map((text) => text.handset),
        texts.map((text) => text.number),
        texts.map((text) => text.text),
        texts.map((text) => text.at),
        texts.map((text) => text.ref),
        texts.map((text) => text.campaign),
        texts.map((text) => text.step),
        texts.map((text) => text.purpose),
        texts.map((text) => text.outsideWindow),
        texts.map((text) => text.receiptAt),
        // An address has no line break in it.
        texts.map((text) => (text.media && text.media.length > 0 ? text.media.join("\n") : null)),
      ]);
      return texts.map((text) => seqs.get(text.ref)!);
    },
    fromHandsets: (tenantId, texts) => fromHandsets(db, tenantId, texts),
    byRefs: (tenantId, refs) => seqsByRef(db, findRefs, [tenantId, refs]),
    owing: (now) => owingBy(db, owingTenants, now),
    serveOwed: (tenantId, now, limit, serve) =>
      serveBy(db, { take: takeOwed, strikeOff, isAcknowledged: true }, [tenantId, now, limit], serve, (tx, answers) =>
        fromHandsets(tx, tenantId, answers),
      ),
    scripts: (tenantId, phones) => findScripts(db, tenantId, phones),
    async saidCounts(tenantId, handsets) {
      const rows = await db.rows<{ handset: string; number: string; n: number }>(countSaid, [tenantId, handsets]);
      return new Map(rows.map((row) => [`${row.handset} ${row.number}`, row.n]));
    },
    async saveScript(tenantId, phone, script) {
      await db.run(upsertScript, [
        tenantId,
        phone,
        script.behavior ?? null,
        script.says ?? null,
        script.answer_delay_ms ?? null,
        script.greeting ?? null,
        script.hangs_up_after_ms ?? null,
      ]);
    },
    async read(tenantId, handset) {
      type Row = Omit<HandsetText, "from" | "to"> & { handset: string; number: string };
      const rows = await db.rows<Row>(readHandset, [tenantId, handset]);
      return rows.map(({ handset: phone, number, direction, ...row }) => ({
        direction,
        ...endsOf({ direction, handset: phone, number }),
        ...row,
      }));
    },
    list: (tenantId, after, limit) => db.rows<ListedHandset>(listHandsets, [tenantId, after, limit]),
    async traffic(tenantId, campaign) {
      return (await db.first<Traffic>(countTraffic, [tenantId, campaign ?? null]))!;
    },
  };
}
