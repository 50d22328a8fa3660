import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "#test/support/accounts/factors.ts";
import { anEmail, aPerson, open, PASSWORD, personOf, signIn } from "#test/support/accounts/person.ts";
import { until } from "#test/support/api/parley.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { aFreePort } from "#test/support/processes/free-port.ts";
import { processEnv } from "#test/support/processes/process-env.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

test("the links that the program prints open the console", async (t) => {
  const api = await startApiProcess(t);
  /** `parley` beside the running service, as an operator calls it. */
  const parley = (...args: string[]) => {
    const env = processEnv({
      DATABASE_URL: api.databaseUrl,
      PARLEY_SECRET_KEY: api.config.secretKey,
      PARLEY_DATA_DIR: api.config.dataDir,
      PARLEY_BASE_URL: "https://parley.example",
    });
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "bin/parley.ts"), ...args], { env });
    return { status, out: String(stdout).trim(), said: String(stderr).trim() };
  };

  await t.test("the start ends with the link to set the console up", async () => {
    const link = new URL((await until("the link is printed", async () => api.setupLink()))!);
    assert.equal(`${link.origin}${link.pathname}`, `${api.url}/console/setup`);
    const token = link.hash.slice("#token=".length);
    const fields = { token, email: anEmail(), password: PASSWORD, organization_name: "Acme", first_name: "Ann" };
    const ann = personOf(api, fields.email, await open(api, "/v1/setup", fields));
    assert.deepEqual([ann.session.permission, ann.session.user.name], ["admin", "Ann"]);
  });

  await t.test("`user create` prints an invitation, for a new user and for one who is there", async () => {
    const email = anEmail();
    const first = parley("user", "create", "--email", email, "--permission", "viewer", "--name", "Bo");
    assert.deepEqual([first.status, first.said], [0, ""]);
    const again = parley("user", "create", "--email", email.toUpperCase());
    const tokens = [first, again].map(({ out }) => {
      assert.match(out, /^https:\/\/parley\.example\/console\/invitation#token=[\w-]{43}$/);
      return out.split("=")[1]!;
    });
    const [old, token] = tokens as [string, string];
    assert.equal((await open(api, "/v1/invitations", { token: old, password: PASSWORD })).status, 403);
    const bo = personOf(api, email, await open(api, "/v1/invitations", { token, password: PASSWORD }));
    assert.deepEqual([bo.session.permission, bo.session.user.name], ["viewer", "Bo"]);
    assert.equal((await signIn(api, email, PASSWORD)).status, 201);
  });

  await t.test("`user reset-factors` removes what was lost, and signs out", async () => {
    const { person } = await withApp(api, await aPerson(api, "manager"));
    const half = personOf(api, person.email, await signIn(api, person.email, PASSWORD));
    assert.equal(half.session.pending, "factor");
    const done = parley("user", "reset-factors", "--email", person.email);
    assert.deepEqual([done.status, done.said], [0, ""]);
    assert.equal(done.out, "1 factor is removed; the user is signed out everywhere.");
    assert.equal((await person.ask("GET", "/v1/session")).status, 401);
    assert.equal(personOf(api, person.email, await signIn(api, person.email, PASSWORD)).session.pending, null);
    const unknown = parley("user", "reset-factors", "--email", anEmail());
    assert.deepEqual([unknown.status, unknown.said], [1, "There is no user of this address"]);
  });

  await t.test("what is wrong is said in one line", () => {
    for (const [args, said] of [
      [["--email", "nobody"], /^--email is not an e-mail address$/],
      [["--email", anEmail(), "--tenant", "tnt_00000000000000000000000001"], /^There is no such tenant$/],
      [["--email", anEmail(), "--permission", "owner"], /owner.*is invalid/],
    ] as const) {
      const refused = parley("user", "create", ...args);
      assert.equal(refused.status, 1);
      assert.match(refused.said, said);
    }
  });
});

test("a service whose output is no longer read goes on, and ends when it is stopped", async (t) => {
  const { url: databaseUrl, drop } = await createDatabase();
  t.after(drop);
  // Not the tree's own: other services that tests start there would write the first key's file at the same time.
  const dataDir = aFolder("unread");
  const port = await aFreePort();
  const child = spawn(process.execPath, [join(root, "bin/parley.ts"), "api"], {
    env: processEnv({
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      PARLEY_DATA_DIR: dataDir,
      PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const ended = once(child, "exit");
  child.stdout.destroy();
  await until("it serves", async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
