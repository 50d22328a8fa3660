type Row = Record<string, unknown>;

/** What the lines of a file hold, as people read it: counts by kind, and the words of every conversation and call. */
export type Summary = {
  counts: Record<string, number>;
  /** By campaign and phone. */
  talks: Record<string, string[]>;
};

export function summaryOf(lines: readonly string[]): Summary {
  const tables = new Map(
    lines.map((line): [string, Row[]] => {
      const { table, columns, rows } = JSON.parse(line) as { table: string; columns: string[]; rows: unknown[][] };
      return [table, rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])))];
    }),
  );
  const of = (table: string): Row[] => tables.get(table) ?? [];
  const campaigns = new Map(of("campaigns").map((row) => [row.id, row.campaign_id as string]));
  const campaign = (row: Row): string => campaigns.get(row.campaign_id) ?? "single";
  const counts: Record<string, number> = {};
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const talks: Record<string, string[]> = {};
  const say = (key: string, line: string) => {
    talks[key] = [...(talks[key] ?? []), line];
  };
  for (const name of ["organizations", "users", "agents", "contacts"]) for (const _ of of(name)) count(name);
  for (const row of of("campaigns")) count(`campaign ${row.campaign_id} ${row.channel} ${row.status}`);
  for (const row of of("threads")) if (row.do_not_message) count("threads opted out");
  for (const row of of("messages").toSorted((one, other) => Number(one.step) - Number(other.step))) {
    count(`text ${row.direction} ${row.kind} ${row.state}`);
    if (row.text !== null && row.sent_at !== null)
      say(`${campaign(row)} ${row.phone}`, `${row.direction === "inbound" ? "contact" : "agent"}: ${row.text}`);
    else if (row.direction === "inbound") say(`${campaign(row)} ${row.phone}`, `contact: ${row.text}`);
  }
  for (const row of of("extractions")) {
    count("extractions");
    const thread = of("threads").find((one) => one.id === row.thread_id)!;
    say(`${campaign(row)} ${thread.phone}`, `found: ${JSON.stringify(row.fields)}`);
  }
  const details = new Map(of("call_details").map((row) => [row.call_id, row]));
  const timed = of("calls").toSorted((one, other) => timeOf(one) - timeOf(other));
  for (const row of timed) {
    count(`call ${row.purpose} ${row.status} ${row.reason}`);
    count(`call sentiment ${row.sentiment}`);
    const detail = details.get(row.id);
    const key = `call ${campaign(row)} ${row.phone}`;
    say(key, `${row.purpose}: ${row.reason}`);
    if (detail?.recording != null) count("recordings");
    if (detail) for (const line of String(detail.transcript).split("\n")) say(key, line);
    if (detail) say(key, `found: ${JSON.stringify(detail.extracted_fields)}`);
  }
  return { counts, talks };
}

const timeOf = (row: Row): number => Number(/-?\d+/.exec(String(row.start_at))?.[0] ?? 0);
