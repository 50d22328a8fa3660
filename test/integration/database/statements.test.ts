import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import pg from "pg";
import { type Statement, statements } from "#store/database/db.ts";
import { type Stage, stagesOf } from "#store/database/stages.ts";
import { BREAKS } from "#test/simulation/breaks.ts";
import { cloneDatabase } from "#test/support/database/database.ts";

/** Every statement there is, its module loaded. */
async function allStatements(): Promise<readonly Statement[]> {
  const root = new URL("../../../", import.meta.url);
  for (const file of globSync("src/store/*/*.ts", { cwd: root, exclude: ["**/*.test.ts"] }))
    await import(new URL(file, root).href);
  return statements();
}

/** What PostgreSQL does not take of these. */
async function unprepared(url: string, them: readonly { name: string; text: string }[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const failures: string[] = [];
  for (const { name, text } of them) {
    await client
      .query(`prepare "${name}" as ${text}`)
      .catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  await client.end();
  return failures;
}

test("PostgreSQL can prepare every statement there is", async (t) => {
  const all = await allStatements();
  assert.ok(all.length > 80, `${all.length} statements were loaded`);
  // ANALYZE is no statement that can be prepared; the driver sends it all the same.
  const prepared = all.filter((statement) => !statement.text.startsWith("analyze"));
  const otherwise = all.flatMap(({ name, distributed }) =>
    distributed ? [{ name: `${name}, distributed`, text: distributed }] : [],
  );
  assert.deepEqual(await unprepared(await cloneDatabase(t), [...prepared, ...otherwise]), []);
});

/** A node of a plan, as far as it is looked at. */
type Plan = { "Node Type": string; "CTE Name"?: string; "Subplan Name"?: string; Plans?: Plan[] };

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/**
 * Whether a plan returns rows wherever it changes any: the part that changes them is at its top, or read by it, and whatever else changes rows makes
 * them of that part's.
 */
function returnsChanged(plan: Plan): boolean {
  if (plan["Node Type"] === "ModifyTable") return true;
  const isPart = (node: Plan) => node["Subplan Name"]?.startsWith("CTE ") ?? false;
  const main = { ...plan, Plans: plan.Plans?.filter((node) => !isPart(node)) ?? [] };
  const parts = new Map(
    (plan.Plans ?? []).filter(isPart).map((part) => [part["Subplan Name"]!.replace("CTE ", ""), part]),
  );
  const readBy = (node: Plan) => nodesOf(node).flatMap((each) => each["CTE Name"] ?? []);
  const returned = readBy(main).filter((name) => parts.get(name)?.["Node Type"] === "ModifyTable");
  const follows = (part: Plan): boolean =>
    readBy(part).some((name) => returned.includes(name) || follows(parts.get(name)!));
  return [...parts].every(
    ([name, part]) =>
      returned.includes(name) || follows(part) || !nodesOf(part).some((node) => node["Node Type"] === "ModifyTable"),
  );
}

/** What PostgreSQL makes of a statement that is declared as another than it is; undefined where it is as it says. */
function declaredWrongly({ changes }: Pick<Statement, "changes">, plan: Plan): string | undefined {
  const isChanging = nodesOf(plan).some((node) => node["Node Type"] === "ModifyTable");
  if (changes === "nothing") return isChanging ? "it changes rows, and says that it does not" : undefined;
  if (!isChanging) return "it changes no rows, and says that it does";
  if (changes === "returned" && !returnsChanged(plan)) return "it changes rows that it does not return";
  return undefined;
}

async function wronglyDeclared(url: string, them: readonly Statement[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set plan_cache_mode = force_generic_plan");
  const wrong: string[] = [];
  for (const statement of them) {
    await client.query(`prepare it as ${statement.text}`);
    const { rows: known } = await client.query("select parameter_types from pg_prepared_statements where name = 'it'");
    const count: number = known[0].parameter_types.replace(/[{}]/g, "").split(",").filter(Boolean).length;
    const values = count === 0 ? "" : `(${Array.from({ length: count }, () => "null").join(", ")})`;
    const { rows } = await client.query(`explain (format json) execute it${values}`);
    const fault = declaredWrongly(statement, rows[0]["QUERY PLAN"][0].Plan);
    if (fault) wrong.push(`${statement.name}: ${fault}`);
    await client.query("deallocate it");
  }
  await client.end();
  return wrong;
}

test("every statement says itself whether it changes rows, and whether it returns them", async (t) => {
  const all = (await allStatements()).filter(({ text }) => !text.startsWith("analyze"));
  const url = await cloneDatabase(t);
  assert.deepEqual(await wronglyDeclared(url, all), []);

  const as = (changes: Statement["changes"], text: string): Statement => ({
    name: text,
    text,
    over: "tenant",
    changes,
  });
  const change = "update tenants set name = name where id = $1 returning id";
  const wrong = [
    as("nothing", change),
    as("returned", "select id from tenants where id = $1 for update"),
    as("returned", `with it as (${change}) select id from tenants where id = $1`),
    as("returned", `with it as (${change}), other as (${change.replace("name = name", "id = id")}) select * from it`),
  ];
  assert.equal((await wronglyDeclared(url, wrong)).length, wrong.length);
  const right = [as("returned", `with it as (${change}) select id from it`), as("more", wrong[2]!.text)];
  assert.deepEqual(await wronglyDeclared(url, right), []);
});

test("what the simulation breaks on purpose is still there to be broken, and can be run", async (t) => {
  const byName = new Map((await allStatements()).map(({ name, text }) => [name, text]));
  const broken = BREAKS.flatMap(({ broken }) => Object.entries(broken?.statements ?? {}));
  const rewritten = broken.map(([name, rewrite]) => ({ name, before: byName.get(name) ?? "", rewrite }));
  const unchanged = rewritten.filter(({ before, rewrite }) => rewrite(before) === before);
  assert.deepEqual(
    unchanged.map(({ name }) => name),
    [],
    "nothing is rewritten",
  );
  const them = rewritten.map(({ name, before, rewrite }, i) => ({ name: `${name} ${i}`, text: rewrite(before) }));
  assert.deepEqual(await unprepared(await cloneDatabase(t), them), []);
});

/** What a statement inserts, part by part: each whole, and as it is said outside of its own parentheses. */
function insertions(text: string): { whole: string; outermost: string }[] {
  return [...text.replace(/--.*$/gm, "").matchAll(/insert into/gi)].map(({ index, input }) => {
    let depth = 0;
    let [whole, outermost] = ["", ""];
    for (const sign of input.slice(index)) {
      if (sign === "(") depth++;
      if (depth === 0 && sign === ")") break;
      whole += sign;
      if (depth === 0) outermost += sign;
      if (sign === ")") depth--;
    }
    return { whole, outermost };
  });
}

test("what inserts what it selects returns it, or says what of conflicts: Citus copies it otherwise, which row security refuses", async () => {
  const isCopied = (part: string) => /\bselect\b/i.test(part) && !/on conflict|returning/i.test(part);
  const wrong = (await allStatements()).filter(({ text, distributed = text }) =>
    insertions(distributed).some(({ outermost }) => isCopied(outermost)),
  );
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test("what an insert of a select does on a conflict takes no parameter, which Citus does not hand on to the server", async () => {
  const takesOne = ({ whole, outermost }: { whole: string; outermost: string }) =>
    /\bselect\b/i.test(outermost) && /\bon conflict\b.*\$\d/is.test(whole);
  // This table is on the coordinator.
  const ours = (await allStatements()).filter(({ name }) => name !== "take-guesses");
  const wrong = ours.filter(({ text, distributed = text }) => insertions(distributed).some(takesOne));
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
});

test("stages of a statement give what it gives at once: none reads a table that an earlier one changes", async () => {
  const tablesOf = (stage: Stage, verbs: string) => {
    const texts = [...stage.parts.map(({ body }) => body), stage.text].join(" ").replace(/--.*$/gm, "");
    return [...texts.matchAll(new RegExp(`\\b(?:${verbs})\\s+(\\w+)`, "g"))].map(([, name]) => name!);
  };
  const found: string[] = [];
  for (const { name, over, text, distributed = text } of await allStatements()) {
    const stages = over === "tenant" ? (stagesOf(distributed) ?? []) : [];
    assert.ok(
      !stages.slice(0, -1).some((stage) => /\breturning\s+(\w+\.)?\*/.test(stage.text)),
      `${name}: the columns of a stage change with its table`,
    );
    const changed = new Set<string>();
    for (const stage of stages) {
      const read = tablesOf(stage, "from|join|update(?!\\s+set\\b)");
      if (read.some((table) => changed.has(table) && !stage.reads.includes(table))) found.push(name);
      for (const table of tablesOf(stage, "insert into|update(?!\\s+set\\b)|delete from")) changed.add(table);
    }
  }
  assert.deepEqual(found, []);
});

/** Changes of several conversations that need not lock them in an order themselves. */
const IN_ORDER_ANYWAY: Record<string, string> = {
  "move-threads": "in the order of its list, which is theirs",
  "lease-turns": "its caller has locked them",
  "save-thread-conversations": "its caller has locked them",
  "mark-removed-conversations": "its caller has locked them",
  "free-turns-of-dead-nodes": "over all tenants, once a node is dead; done again where another is in the way",
  "close-demo-threads": "a demo that is removed has nobody else at work",
};

test("what changes several conversations locks them in the order of their ids, so that no two wait for each other", async () => {
  const ofSeveral = (text: string) =>
    /\bupdate threads\b/.test(text) && !/\bupdate threads\b[^()]*\bid = \$\d/.test(text);
  const isOrdered = (text: string) => /\border by [\w.]*\bid\b[^()]*\bfor (?:no key )?update\b/.test(text);
  const unordered = (await allStatements()).filter(({ text }) => ofSeveral(text) && !isOrdered(text));
  assert.deepEqual(unordered.map(({ name }) => name).toSorted(), Object.keys(IN_ORDER_ANYWAY).toSorted());
});
