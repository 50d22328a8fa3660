import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import pg from "pg";
import type { Header } from "#app/demo/file.ts";
import { base32, NO_ID } from "#domain/values/id.ts";
import { DEMO_TABLES } from "#store/simulator/demo-rows.ts";
import { until } from "#test/support/api/parley.ts";
import type { Played } from "./play.ts";
import { END, FIRST_DAY, PEOPLE } from "./story.ts";

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const PUBLIC = "(?:org|usr|agt|vagt|llm|lead|list|msg|call)_[0-9a-hjkmnp-tv-z]{26}";
const TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)";

const SAID =
  "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?:January|February|March|April|May|June|July|August|September|October|November|December) \\d{1,2}";
// Within a name too, as in calls_answered_2035-04-10.
const WRITTEN = "(?<!\\d)2035-\\d\\d-\\d\\d(?!\\d)";
const DAY_MS = 86_400_000;
/** Demo data is in no chain. */
const OF_THE_CHAIN = ["salt", "digest"];

type Row = Record<string, unknown>;

/** The rows of what was played, with marks for what differs from one tenant and day to another; and the recordings of its calls. */
export async function fileOf({
  api,
  moves,
}: Played): Promise<{ header: Header; lines: string[]; recordings: Map<string, Buffer> }> {
  const client = new pg.Client(api.databaseUrl);
  await client.connect();
  await until("every event is counted", async () => {
    const { rows } = await client.query(
      `select from event_heads head join tenants on id = head.tenant_id left join activity_heads counted using (tenant_id)
       where tenants.mode = 'test' and counted.seq is distinct from head.seq`,
    );
    return rows.length === 0;
  });
  const tables = await rowsOf(client);
  const { rows: tenants } = await client.query<{ id: string }>("select id from tenants where mode = 'test'");
  await client.end();
  const tenantId = tenants[0]!.id;

  // Sound that names a day would name the wrong one on another.
  for (const row of tables.get("call_details")!)
    if (new RegExp(SAID).test(String(row.transcript)))
      Object.assign(row, { recording: null, recording_bytes: null, recording_ms: null });

  const whole = JSON.stringify([...tables]);
  const ids = [...new Set(whole.match(new RegExp(UUID, "g")))].filter((id) => id !== tenantId && id !== NO_ID).sort();
  const madeAt = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const numbers = tables.get("phone_numbers")!.map((row) => row.phone as string);
  const seqs = seqsOf(tables, whole);
  const index = new Map<string, string>([
    ...ids.map((id, i): [string, string] => [id, `#{i${i}}`]),
    ...ids.map((id, i): [string, string] => [base32(id), `#{p${i}}`]),
    ...seqs.map((seq, i): [string, string] => [`sim_${seq}`, `sim_#{s${i}}`]),
    ...numbers.map((number, i): [string, string] => [number, `#{n${i}}`]),
    ["demo-seed", "#{e}"],
    [tenantId, "#{T}"],
    [base32(tenantId), "#{T}"],
  ]);
  const dayOf = (text: string): number => Math.round(Date.parse(text) / DAY_MS) - Math.floor(END.getTime() / DAY_MS);
  const storyTime = (text: string): string => {
    const real = new Date(text).getTime();
    // What the service notes in real time has the story's time of that moment here.
    const by = real >= FIRST_DAY ? real : real + (moves.findLast((move) => move.real <= real) ?? moves[0]!).offsetMs;
    return `#{t${Math.round(by - END.getTime())}}`;
  };
  const every = new RegExp(
    `${UUID}|${PUBLIC}|${TIME}|${SAID}|${WRITTEN}|\\bsim_\\d+|demo-seed|${numbers.map((number) => `\\${number}`).join("|")}`,
    "g",
  );
  const marked = (text: string): string =>
    text.replaceAll(every, (found) => {
      if (new RegExp(`^${TIME}$`).test(found)) return storyTime(found);
      if (new RegExp(`^${WRITTEN}$`).test(found)) return `#{y${dayOf(`${found}T00:00:00Z`)}}`;
      if (new RegExp(`^${SAID}$`).test(found)) return `#{w${dayOf(`${found.split(", ")[1]} 2035 UTC`)}}`;
      const [, kind, rest] = /^([a-z]+_)([0-9a-z]{26})$/.exec(found) ?? ["", "", found];
      return index.has(rest!) ? kind + index.get(rest!)! : found;
    });
  const lines = DEMO_TABLES.flatMap((table) => {
    const rows = tables.get(table)!.map((row) => (table.startsWith("simulator_") ? withSeqs(row, seqs) : row));
    if (rows.length === 0) return [];
    const columns = Object.keys(rows[0]!).filter((column) => !OF_THE_CHAIN.includes(column));
    return [marked(JSON.stringify({ table, columns, rows: rows.map((row) => columns.map((column) => row[column])) }))];
  });

  const heard = tables.get("call_details")!.filter((row) => row.recording !== null);
  const last = madeAt(ids.at(-1)!);
  const mark = (id: string) => index.get(id)!;
  const named = (table: string, name: string) =>
    tables
      .get(table)!
      .toSorted((one, other) => String(one.id).localeCompare(String(other.id)))
      .map((row) => [row[name] as string, mark(row.id as string)] as const);
  const header: Header = {
    end: END.getTime(),
    ids: ids.map((id) => last - madeAt(id)),
    seqs: seqs.length,
    areaCodes: numbers.map((number) => number.slice(2, 5)),
    organizations: named("organizations", "name").map(([, id]) => id),
    users: named("users", "name").map(([, id]) => id),
    agents: Object.fromEntries(
      tables.get("agents")!.map((row) => {
        const { config } = tables.get("agent_versions")!.find((version) => version.agent_id === row.id)!;
        const voice = row.voice_agent_id as string | null;
        return [`${row.type} ${(config as { agent_name: string }).agent_name}`, mark(voice ?? (row.id as string))];
      }),
    ),
    visitors: PEOPLE.visitors,
    recordings: heard.map((row, i) => ({ call: mark(row.call_id as string), file: `call-${i + 1}.wav.gz` })),
  };
  const recordings = new Map(
    heard.map((row, i) => [
      `call-${i + 1}.wav.gz`,
      readFileSync(join(api.config.dataDir, "recordings", row.recording as string)),
    ]),
  );
  return { header, lines, recordings };
}

/** Writes data/demo anew. */
export function write(folder: string, { header, lines, recordings }: Awaited<ReturnType<typeof fileOf>>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "story.jsonl.gz"), gzipSync([JSON.stringify(header), ...lines].join("\n"), { level: 9 }));
  for (const [file, bytes] of recordings) writeFileSync(join(folder, file), gzipSync(bytes, { level: 9 }));
}

async function rowsOf(client: pg.Client): Promise<Map<string, Row[]>> {
  const tables = new Map<string, Row[]>();
  await client.query("set time zone 'UTC'");
  for (const table of DEMO_TABLES) {
    const { rows } = await client.query<{ row: Row }>(`select to_jsonb(it) as row from ${table} it order by it`);
    tables.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return tables;
}

function seqsOf(tables: Map<string, Row[]>, whole: string): string[] {
  const found = new Set((whole.match(/\bsim_\d+/g) ?? []).map((name) => name.slice(4)));
  for (const table of ["simulator_texts", "simulator_calls"])
    for (const row of tables.get(table)!)
      for (const seq of [row.seq, row.acknowledged_seq]) if (seq !== null) found.add(String(seq));
  return [...found].sort((one, other) => Number(one) - Number(other));
}

const withSeqs = (row: Row, seqs: readonly string[]): Row => ({
  ...row,
  ...("seq" in row ? { seq: `#{s${seqs.indexOf(String(row.seq))}}` } : {}),
  ...(row.acknowledged_seq == null ? {} : { acknowledged_seq: `#{s${seqs.indexOf(String(row.acknowledged_seq))}}` }),
});
