import type pg from "pg";
import { type Column, type Stage, stagesOf, textOf } from "./stages.ts";

type Written = { text: string; over: "tenant" | "all"; distributed?: string };

/** By statement, since each is taken apart once. */
const known = new WeakMap<Written, readonly Stage[] | null>();

/** The stages in which a distributed database is asked a statement; undefined where it is asked as it is. */
export function stagesFor(statement: Written): readonly Stage[] | undefined {
  if (statement.over === "all") return undefined;
  let stages = known.get(statement);
  if (stages === undefined) {
    stages = stagesOf(statement.distributed ?? statement.text) ?? null;
    known.set(statement, stages);
  }
  return stages ?? undefined;
}

/** A stage's text is the same each time: the columns of the stages before it are. */
const texts = new WeakMap<Stage, ReturnType<typeof textOf>>();

function textWith(stage: Stage, columns: ReadonlyMap<string, readonly Column[]>): ReturnType<typeof textOf> {
  const text = texts.get(stage) ?? textOf(stage, columns);
  texts.set(stage, text);
  return text;
}

/** Every value as PostgreSQL writes it: as a number or a date of JavaScript's it might lose digits on the way to the next stage. */
const AS_WRITTEN: pg.CustomTypesConfig = { getTypeParser: () => (value: unknown) => value };

/** Runs them in the transaction that the session is in. Answers as the statement would. */
export async function askInStages(
  client: Pick<pg.ClientBase, "query">,
  name: string,
  stages: readonly Stage[],
  values: readonly unknown[],
): Promise<pg.QueryResult> {
  const columns = new Map<string, readonly Column[]>();
  const rows = new Map<string, string>();
  for (const [i, stage] of stages.entries()) {
    const { text, values: numbers, reads } = textWith(stage, columns);
    const config = {
      name: `${name}-${i + 1}`,
      text,
      values: [...numbers.map((n) => values[n - 1]), ...reads.map((read) => rows.get(read))],
    };
    if (i === stages.length - 1) return client.query(config);
    const answer = await client.query({ ...config, types: AS_WRITTEN });
    columns.set(stage.name, await columnsOf(client, answer.fields));
    rows.set(stage.name, JSON.stringify(answer.rows));
  }
  throw new Error(`${name} has no stages`);
}

/** The names of PostgreSQL's own types, which are the same in every database. */
const types = new Map<number, string>();

async function columnsOf(client: Pick<pg.ClientBase, "query">, fields: readonly pg.FieldDef[]): Promise<Column[]> {
  const unknown = fields.map(({ dataTypeID }) => dataTypeID).filter((id) => !types.has(id));
  if (unknown.length > 0) {
    const { rows } = await client.query<{ id: number; type: string }>({
      name: "name-types",
      text: "select oid::int as id, format_type(oid, null) as type from pg_type where oid = any($1::oid[])",
      values: [[...new Set(unknown)]],
    });
    for (const { id, type } of rows) types.set(id, type);
  }
  return fields.map(({ name, dataTypeID }) => ({ name, type: types.get(dataTypeID)! }));
}
