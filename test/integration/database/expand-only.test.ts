import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { VERSION } from "#app/process/release.ts";
import { migrate, migrationNames } from "#store/database/migrate.ts";
import { isBefore, neededBy } from "#store/database/needs.ts";
import { emptyDatabase } from "#test/support/database/database.ts";
import { breaks, shapeOf } from "#test/support/database/shape.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** From this one on a migration leaves the release before its own at work. */
const FIRST = "0103";

test("each migration leaves a program that does not know it at work, or says which release is the first that it does", async (t) => {
  const url = await emptyDatabase(t);
  const client = await openClient(t, url);
  const names = migrationNames();
  const first = names.findIndex((name) => name >= FIRST);
  await migrate(url, { names: names.slice(0, first) });
  let before = await shapeOf(client);
  for (const [i, name] of names.entries()) {
    if (i < first) continue;
    await migrate(url, { names: names.slice(0, i + 1) });
    const after = await shapeOf(client);
    const sql = readFileSync(new URL(`../../../src/store/migrations/${name}`, import.meta.url), "utf8");
    const needs = neededBy(sql);
    if (needs === undefined) {
      assert.deepEqual(
        breaks(before, after),
        [],
        `${name}: the release before uses this. Leave it, and take it away in the release after the first that does not use it, with the line "-- needs release X.Y.Z"`,
      );
    } else assert.ok(!isBefore(VERSION, needs), `${name} needs release ${needs}, and the last one is ${VERSION}`);
    before = after;
  }
});

const THINGS = `
  create table owners (id int primary key);
  create table things (id int primary key, name text, note text, state text not null default 'new' check (state in ('new', 'old')));
  create unique index on things (name);
  create function count_things(word text) returns bigint language sql return 1`;

const BREAKING: [sql: string, found: string[]][] = [
  ["drop table things", ["table things is gone"]],
  ["alter table things drop column note", ["column things.note is gone"]],
  ["alter table things rename note to words", ["column things.note is gone"]],
  ["alter table things alter note type int using 0", ["column things.note was text"]],
  ["alter table things add word text not null", ["new: things.word is written by everybody"]],
  ["alter table things alter state drop default", ["new: things.state is written by everybody"]],
  [
    "alter table things alter note set not null",
    ["new: things.note is written by everybody", "new: things.note is never null"],
  ],
  ["alter table things add check (note <> '')", ["new: things CHECK ((note <> ''::text))"]],
  ["create unique index on things (note)", ["new: unique things btree (note)"]],
  ["drop index things_name_idx", ["unique things btree (name) is gone"]],
  ["alter table things add foreign key (id) references owners", ["new: things FOREIGN KEY (id) REFERENCES owners(id)"]],
  [
    "drop function count_things(text); create function count_things(word text, which int) returns bigint language sql return 1",
    ["function count_things(word text) is gone"],
  ],
  [
    "drop function count_things(text); create function count_things(word text) returns int language sql return 1",
    ["function count_things(word text) was bigint"],
  ],
  [
    "alter table things drop constraint things_state_check; alter table things add check (state in ('new'))",
    ["new: things CHECK ((state = 'new'::text))"],
  ],
];

const HARMLESS = [
  "create table others (id int primary key, thing int not null references things)",
  "alter table things add word text, add count int not null default 0 check (count >= 0)",
  "alter table things add owner int references owners; create unique index on things (owner)",
  "create index on things (note); alter table things alter note set default ''",
  "alter table things drop constraint things_state_check; alter table things add check (state in ('new', 'used', 'old'))",
  "create or replace function count_things(word text) returns bigint language sql return 2",
];

test("what breaks a program that does not know a change is found, and what does not is let pass", async (t) => {
  const client = await openClient(t, await emptyDatabase(t));
  await client.query(THINGS);
  const before = await shapeOf(client);
  for (const [sql, found] of [...BREAKING, ...HARMLESS.map((sql) => [sql, [] as string[]] as const)]) {
    await client.query(`begin; ${sql}`);
    assert.deepEqual(breaks(before, await shapeOf(client)), found, sql);
    await client.query("rollback");
  }
});
