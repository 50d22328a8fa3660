import assert from "node:assert/strict";
import { test } from "node:test";
import { keyCommand } from "#app/command/key-command.ts";
import { wire } from "#app/context.ts";
import { startParley } from "#test/support/api/parley.ts";

test("`parley key` makes, lists, replaces and ends keys with the limits that the API gives them", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { tenant_id: tenant } = (await api.get("/v1/me")).body;
  const { ctx, close } = wire(api.config, api.databaseUrl, "command");
  t.after(close);
  /** What the command prints. */
  const parley = async (...args: string[]) => {
    const said: string[] = [];
    const command = keyCommand(
      (work) => work(ctx),
      (line) => said.push(line),
    );
    await command.parseAsync([...args, "--tenant", tenant], { from: "user" });
    return said.join("\n");
  };
  const statusOf = async (key: string, path = "/v1/me") => (await api.get(path, { key })).status;
  const listed = async () => (await api.get("/v1/api-keys")).body.api_keys;
  const limits = ["--name", "Import", "--scopes", "contacts:read,calls:read", "--from", "127.0.0.1,203.0.113.0/24"];
  const made = await parley("create", ...limits, "--expires-in-days", "30");
  assert.match(made, /^pk_test_[!-~]+$/);

  await t.test("what it was given is what it may do", async () => {
    assert.equal(await statusOf(made, "/v1/contacts/lists"), 400, "it may, and has named no organization");
    assert.equal(await statusOf(made, "/v1/agents"), 403);
    const [key] = await listed();
    assert.deepEqual([key.name, key.allowed_addresses], ["Import", ["127.0.0.1", "203.0.113.0/24"]]);
    assert.ok(Math.abs(Date.parse(key.expires_at) - Date.now() - 30 * 86_400_000) < 3_600_000, key.expires_at);
    assert.equal(await statusOf(await parley("create", "--from", "203.0.113.9")), 403);
    assert.equal(await statusOf(await parley("create"), "/v1/api-keys"), 200, "without limits it may do everything");
  });

  await t.test("one is listed, replaced with an overlap, and ended", async () => {
    const LINE = /^(\S+) {2}test {2}until \S+ \S+ {2}(\S+) {2}(\S+) {2}(?:never )?used.*Import$/m;
    const [, id, scopes, from] = LINE.exec(await parley("list"))!;
    assert.deepEqual([scopes, from], ["contacts:read,calls:read", "127.0.0.1,203.0.113.0/24"]);
    const next = await parley("rotate", id!, "--overlap-seconds", "600");
    for (const key of [made, next]) assert.equal(await statusOf(key), 200);
    assert.equal(await parley("revoke", id!), 'The key "Import" is revoked.');
    assert.equal(await statusOf(made), 401);
    assert.equal(await statusOf(next), 200);
  });

  await t.test("what is wrong is said in one line, and no key is made", async () => {
    const before = (await listed()).length;
    const id = (await listed())[0].key_id;
    const many = (count: number, one: (n: number) => string) => Array.from({ length: count }, (_, n) => one(n)).join();
    for (const [args, message] of [
      [["create", "--scopes", "everything"], /^everything is not a scope/],
      [["create", "--from", "nowhere"], /must be an address or a network/],
      [["create", "--expires-in-days", "soon"], /^soon is not a whole number/],
      [["create", "--organizations", "org_x"], /is not an organization's id/],
      [["rotate", "key_x"], /is not a key's id/],
      [["create", "--name", "x".repeat(201)], /^--name must have at most 200 characters$/],
      [["create", "--name", " "], /^--name must not be empty$/],
      [["create", "--scopes", "read,read"], /^--scopes must have each item once$/],
      [["create", "--from", many(51, (n) => `203.0.113.${n}`)], /^--from must have at most 50 items$/],
      [["create", "--from", `127.0.0.1,${"1".repeat(51)}`], /^--from, number 2, must have at most 50 characters$/],
      [["create", "--organizations", many(101, (n) => `org_${n}`)], /^--organizations must have at most 100 items$/],
      [["rotate", id, "--overlap-seconds", "2592001"], /^--overlap-seconds must be <= 2592000$/],
    ] as const) {
      await assert.rejects(parley(...args), { message }, args.join(" "));
    }
    assert.equal((await listed()).length, before);
  });
});
