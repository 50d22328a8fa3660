import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import { program, runningCommand } from "#app/command/cli.ts";
import { commandContext, operatingUser, type WithDatabase } from "#app/command/entries.ts";
import { wire } from "#app/context.ts";
import { parseId } from "#domain/values/id.ts";
import { startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

/** Commands that change nothing of a tenant's. */
const NOTHING = [
  ...[
    "parley start",
    "parley api",
    "parley worker",
    "parley media",
    "parley backup",
    "parley restore",
    "parley doctor",
    "parley capacity",
  ],
  ...["parley live", "parley config print", "parley fence status", "parley audit verify", "parley audit export"],
  ...["parley secret status", "parley ban list", "parley screening show", "parley carrier list"],
  ...["parley key list", "parley evidence verify", "parley evidence key", "parley citus status"],
];
/** Here only what is newer than the database, or needs a cluster. */
const ELSEWHERE = [
  "parley citus distribute",
  "parley citus move",
  ...["parley migrate", "parley carrier lend", "parley carrier give", "parley carrier take-back", "parley carrier end"],
];

const namesOf = (command: Command, above = ""): string[] => {
  const name = `${above} ${command.name()}`.trim();
  return command.commands.length === 0 ? [name] : command.commands.flatMap((each) => namesOf(each, name));
};

test("every command that changes something leaves an entry, by the operating system's user, without secrets", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const folder = aFolder("command");
  const { tenant_id: tenant } = (await api.get("/v1/me")).body;
  const list = join(folder, "list.txt");
  writeFileSync(list, "212,5556001\n");
  const ran: string[] = [];
  const { ctx, close } = wire(api.config, api.databaseUrl, "cli");
  t.after(close);
  /** As in a process of its own, without the half minute that one takes beside all that a test's machine does. */
  const parley = async (...args: string[]): Promise<string> => {
    ran.push(args.join(" "));
    const said: string[] = [];
    const withDatabase: WithDatabase = (work) => {
      const as = commandContext(ctx, { name: runningCommand(), by: operatingUser() });
      return work(as.ctx, api.config, as.entries);
    };
    await program(withDatabase, (line) => said.push(line)).parseAsync(args, { from: "user" });
    return said.join("\n");
  };
  type Entry = Record<string, unknown>;
  const client = await openClient(t, api.databaseUrl);
  const entries = async (tenantId: string): Promise<Entry[]> =>
    (
      await client.query(
        "select operation, object, object_id, user_agent, content from audit_entries where tenant_id = $1 and actor = 'command' order by id",
        [parseId("tenant", tenantId)],
      )
    ).rows;
  const of = ["--tenant", tenant] as const;

  const other = await parley("tenant", "create", "Other");
  const key = await parley("key", "create", ...of, "--live", "--name", "By hand");
  const keyId = /^pk_live_([0-9a-z]{26})/.exec(key)![1];
  const next = await parley("key", "rotate", `key_${keyId}`, ...of);
  await parley("key", "revoke", `key_${/^pk_live_([0-9a-z]{26})/.exec(next)![1]}`, ...of);
  const link = await parley("user", "create", ...of, "--email", "ann@acme.example");
  await client.query(
    `insert into factors (tenant_id, id, user_id, kind, name, created_at)
     select tenant_id, gen_random_uuid(), id, 'totp', 'phone', now() from users where email = 'ann@acme.example' and tenant_id = $1`,
    [parseId("tenant", tenant)],
  );
  await parley("user", "reset-factors", ...of, "--email", "ann@acme.example");
  await parley("screening", "set", ...of, "--require-consent", "express", "--reason", "counsel says so");
  await parley("dnc", "import", list, ...of, "--date", new Date(Date.now() - 86_400_000).toISOString().slice(0, 10));
  const [ban] = (await parley("ban", "add", "LA", "--reason", "a hurricane")).split(/\s/);
  const [, id] = /(ban_\w+)/.exec(await parley("ban", "list"))!;
  await parley("ban", "remove", id!);
  await parley("ban", "add", "TX", ...of, "--reason", "a storm");
  await parley("fence", "raise", "a restore by hand", "--as-of", new Date().toISOString());
  await parley("fence", "lift", "--accept-missing-journal");

  const all = await entries(tenant);
  assert.deepEqual(
    all.map((entry) => [entry.operation, entry.object]),
    [
      ["parley key create", "api_key"],
      ["parley key rotate", "api_key"],
      ["parley key revoke", "api_key"],
      ["parley user create", "organization"],
      ["parley user create", "user"],
      ["parley user create", null],
      ["parley user reset-factors", "user"],
      ["parley screening set", "screening"],
      ["parley dnc import", "national_list"],
      ["parley ban add", "ban"],
      ["parley ban remove", "ban"],
      ["parley ban add", "ban"],
      ["parley fence raise", "fence"],
      ["parley fence lift", "fence"],
    ],
    ban,
  );
  for (const entry of all) assert.match(String(entry.user_agent), new RegExp(`^${userInfo().username} on `));
  const text = JSON.stringify(all);
  assert.ok(!text.includes(key) && !text.includes(link.split("token=")[1]!), "no secret is in it");
  assert.match(text, /"after":{"require_consent":"express"}/);

  await parley("key", "create", "--tenant", other);
  const theirs = await entries(other);
  assert.deepEqual(
    theirs.map((entry) => entry.operation),
    ["parley tenant create", "parley ban add", "parley ban remove", "parley fence raise", "parley fence lift"].concat(
      "parley key create",
    ),
    "what is the whole service's is in every tenant's log",
  );

  await parley("secret", "rotate");
  for (const each of [tenant, other]) {
    const { operation, content } = (await entries(each)).at(-1) as {
      operation: string;
      content: Record<string, object>;
    };
    assert.deepEqual([operation, Object.keys(content.before!)], ["parley secret rotate", ["sealed_under"]]);
  }
  const names = namesOf(program());
  const here = names.filter((name) => ran.some((line) => `parley ${line}`.startsWith(name)));
  assert.deepEqual(
    names.filter((name) => ![...here, ...NOTHING, ...ELSEWHERE].includes(name)),
    [],
    "run here what is new",
  );
});
