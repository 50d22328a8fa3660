import assert from "node:assert/strict";
import { test } from "node:test";
import { stagesOf, textOf } from "./stages.ts";

const inShort = (text: string) =>
  stagesOf(text)?.map(({ name, parts, reads }) => [name, parts.map((part) => part.name), reads]);

test("a statement that adds rows in no part of it has no stages", () => {
  for (const text of [
    "select 1",
    "insert into a select 1",
    "with b as (select 1) insert into a select * from b",
    "with recursive b as (select 1) select * from b",
    "with b as (select '), c as (insert into a'), d as (update a set n = 1 returning n) select * from b, d",
  ])
    assert.equal(inShort(text), undefined, text);
});

test("each part that adds rows is a stage, and so is what more than one stage reads", () => {
  const text = `with given as (select * from unnest($2::int[]) as n),
     old as (select a.n from a join given on given.n = a.n for update),
     changed as (update a set n = a.n + 1 from old where a.n = old.n returning a.n),
     -- a note (of its own
     noted as materialized (
       insert into b (t, n) select $1, n from changed on conflict do nothing),
     counted as (insert into c (n) select count(*) from changed on conflict do nothing)
     select 1`;
  assert.deepEqual(inShort(text), [
    ["changed", ["given", "old"], []],
    ["noted", [], ["changed"]],
    ["counted", [], ["changed"]],
    ["", [], []],
  ]);
});

test("a part that mentions no table is repeated in each stage that reads it, and one that nobody reads goes with the next", () => {
  const text = `with given as (select * from unnest($2::int[]) as n),
     twice as (select n * 2 as n from given),
     moved as (update a set n = 0 from given where a.n = given.n),
     added as (insert into b select n from twice returning n)
     insert into c select given.n from given on conflict do nothing returning n`;
  assert.deepEqual(inShort(text), [
    ["added", ["given", "twice", "moved"], []],
    ["", ["given"], []],
  ]);
});

test("what is read before a later change is read in a stage of its own", () => {
  const text = `with old as (select n from a),
     gone as (delete from a returning n),
     kept as (insert into b select old.n from old join gone on gone.n = old.n returning n)
     select count(*) from gone`;
  assert.deepEqual(inShort(text), [
    ["old", [], []],
    ["gone", [], []],
    ["kept", [], ["old", "gone"]],
    ["", [], ["gone"]],
  ]);
});

test("a stage takes the values that it mentions, and then the rows that it reads", () => {
  const stages = stagesOf(`with changed as (update a set n = $3 where t = $1 returning n, at as "when"),
     noted as (insert into b select $1, n, $4 from changed on conflict do nothing) select n from changed, noted`)!;
  const columns = new Map([
    [
      "changed",
      [
        { name: "n", type: "integer" },
        { name: 'wh"en', type: "timestamp with time zone[]" },
      ],
    ],
    ["noted", []],
  ]);
  assert.deepEqual(textOf(stages[0]!, columns), {
    text: 'update a set n = $1 where t = $2 returning n, at as "when"',
    values: [3, 1],
    reads: [],
  });
  const noted = textOf(stages[1]!, columns);
  assert.deepEqual([noted.values, noted.reads], [[1, 4], ["changed"]]);
  assert.equal(
    noted.text,
    `with changed as (select given."n"::integer as "n", given."wh""en"::timestamp with time zone[] as "wh""en" ` +
      `from jsonb_to_recordset($3::jsonb) as given ("n" text, "wh""en" text))\n` +
      "insert into b select $1, n, $2 from changed on conflict do nothing",
  );
  // What adds rows and returns none has none to read, though the statement mentions its name.
  assert.deepEqual(textOf(stages[2]!, columns).reads, ["changed"]);
});
