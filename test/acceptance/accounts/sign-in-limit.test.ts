// In a process of its own: it floods, and others would wait for it.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readConfig } from "#app/settings/config.ts";
import { ACCOUNT_FROM_ALL, ACCOUNT_FROM_ONE } from "#domain/accounts/guess.ts";
import { anEmail, anInvitation, aPerson, cookiesOf, open, PASSWORD, signIn } from "#test/support/accounts/person.ts";
import type { FloodOrder, FloodResult } from "#test/support/accounts/sign-in-flood.ts";
import { BOOTSTRAP_KEY, client } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { startProcess } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { root } from "#test/support/source/source.ts";

/** `SIGN_INS=1000` measures what was asked for; fewer show the same. */
const AT_ONCE = Number(process.env.SIGN_INS ?? 200);
/** The setting's own default. */
const OF_ADDRESS = 60;

type Node = ReturnType<typeof client>;

/** Two api processes on one database, behind a proxy that says where a request comes from. */
async function twoNodes(t: TestContext) {
  const databaseUrl = await cloneDatabase(t);
  const start = async (): Promise<Node> => {
    const folder = aFolder("sign-in");
    const env = { DATABASE_URL: databaseUrl, PARLEY_DATA_DIR: folder, PARLEY_TRUSTED_PROXIES: "127.0.0.1" };
    return client((await startProcess(t, "api", env)).url!, BOOTSTRAP_KEY);
  };
  const nodes = [await start(), await start()] as const;
  const config = readConfig({ DATABASE_URL: databaseUrl, PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef" });
  return { nodes, api: { ...nodes[0], databaseUrl, config } };
}

const from = (address: string) => ({ "x-forwarded-for": address });

/** Wrong passwords, all at once over both nodes, by another process. Fails where one is answered anything but 401, or 429 and when to come back. */
async function flood(nodes: readonly Node[], guess: (i: number) => FloodOrder["guesses"][number]) {
  const child = fork(join(root, "test/support/accounts/sign-in-flood.ts"), { stdio: "inherit" });
  const order: FloodOrder = {
    nodes: nodes.map(({ url }) => url),
    guesses: Array.from({ length: AT_ONCE }, (_, i) => guess(i)),
  };
  child.send(order);
  assert.deepEqual(await once(child, "message"), ["begun", undefined]);
  const done = once(child, "message").then(([result]: FloodResult[]) => {
    assert.deepEqual(result!.others, []);
    assert.equal(result!.evaluated + result!.putOff, AT_ONCE);
    return result!;
  });
  return { done };
}

/** A person who signs in again and again by the right password while others guess: each time it works. Answers with how long it took. */
async function signInsUntil(done: Promise<unknown>, node: Node, email: string, address: string): Promise<string> {
  let isOver = false;
  done
    .finally(() => {
      isOver = true;
    })
    .catch(() => {});
  const times: number[] = [];
  while (!isOver) {
    const began = performance.now();
    const { status, body } = await signIn(node, email, PASSWORD, from(address));
    assert.equal(status, 201, JSON.stringify(body));
    times.push(performance.now() - began);
  }
  return `${times.length} times the right password, in ${Math.max(...times) | 0} ms at most`;
}

const grown = (everyMs: number, tookMs: number): number => Math.ceil(tookMs / everyMs);

test("many sign-ins at once over two nodes: no more are checked than the limit, and a person at another address signs in", async (t) => {
  const { nodes, api } = await twoNodes(t);
  const victim = await aPerson(api, "manager");
  const other = await aPerson(api, "manager");

  await t.test(
    "of one account from one address, the account's tries there are looked at, on all nodes together",
    async () => {
      const { done } = await flood(nodes, () => ({ email: victim.email, address: "198.51.100.1" }));
      const right = await signInsUntil(done, nodes[1], victim.email, "203.0.113.5");
      const { evaluated, tookMs } = await done;

      const most = ACCOUNT_FROM_ONE.tries + grown(ACCOUNT_FROM_ONE.everyMs, tookMs);
      assert.ok(evaluated >= 1 && evaluated <= most, `${evaluated} of ${AT_ONCE} were looked at, ${most} may be`);
      t.diagnostic(`${AT_ONCE} at once in ${tookMs | 0} ms: ${evaluated} looked at; ${right}`);
    },
  );

  await t.test("an account that does not exist is limited in the same way, with the same answers", async () => {
    const nobody = anEmail();
    const { done } = await flood(nodes, () => ({ email: nobody, address: "198.51.100.2" }));
    const { evaluated, tookMs } = await done;
    const most = ACCOUNT_FROM_ONE.tries + grown(ACCOUNT_FROM_ONE.everyMs, tookMs);
    assert.ok(evaluated >= 1 && evaluated <= most, `${evaluated} were looked at, ${most} may be`);
    const [known, unknown] = [
      await signIn(nodes[0], victim.email, "wrong password", from("198.51.100.1")),
      await signIn(nodes[0], nobody, "wrong password", from("198.51.100.2")),
    ];
    assert.deepEqual([known.status, known.body.error], [unknown.status, unknown.body.error]);
  });

  await t.test("of many accounts from one address, the address's tries are looked at", async () => {
    const { done } = await flood(nodes, () => ({ email: anEmail(), address: "198.51.100.3" }));
    const right = await signInsUntil(done, nodes[0], other.email, "203.0.113.6");
    const { evaluated, tookMs } = await done;

    const most = OF_ADDRESS + grown(60_000 / OF_ADDRESS, tookMs);
    assert.ok(evaluated >= 1 && evaluated <= most, `${evaluated} were looked at, ${most} may be`);
    t.diagnostic(`${AT_ONCE} at once in ${tookMs | 0} ms: ${evaluated} looked at; ${right}`);
  });

  await t.test(
    "of one account from many addresses all of its tries are, and a browser that it knows still comes in",
    async () => {
      const known = await signIn(nodes[0], victim.email, PASSWORD, from("203.0.113.7"));
      const device = cookiesOf(known)
        .map((cookie) => cookie.split(";")[0]!)
        .find((cookie) => cookie.startsWith("parley_device="))!;
      const began = performance.now();
      let evaluated = 0;
      for (let round = 0; round < Math.ceil((2 * ACCOUNT_FROM_ALL.tries) / AT_ONCE); round++) {
        const { done } = await flood(nodes, (i) => ({
          email: victim.email,
          address: `2001:db8:${(round * AT_ONCE + i).toString(16)}::1`,
        }));
        evaluated += (await done).evaluated;
      }
      const most = ACCOUNT_FROM_ALL.tries + grown(ACCOUNT_FROM_ALL.everyMs, performance.now() - began);
      assert.ok(evaluated <= most, `${evaluated} were looked at, ${most} may be`);

      const right = (cookie: string, email = victim.email) =>
        signIn(nodes[1], email, PASSWORD, { ...from("203.0.113.7"), cookie });
      assert.equal((await right(device)).status, 201, "a browser in which the account has signed in before");
      const forged = `${device.slice(0, -6)}AAAAAA`;
      const guessed = await Promise.all(
        Array.from({ length: 20 }, () =>
          signIn(nodes[0], victim.email, "no", { ...from("203.0.113.8"), cookie: device }),
        ),
      );
      assert.ok(
        guessed.filter(({ status }) => status === 401).length <= ACCOUNT_FROM_ONE.tries,
        "which is limited, too",
      );
      assert.ok([201, 429].includes((await right(forged)).status));
    },
  );

  await t.test("an invitation sets a new password, whoever guesses at the old one", async () => {
    const email = anEmail();
    const tenant = (await nodes[0].get("/v1/me")).body.tenant_id;
    const token = await anInvitation(api, tenant, "manager", email);
    const { done } = await flood(nodes, () => ({ email, address: "198.51.100.4" }));
    const accepted = await open(nodes[1], "/v1/invitations", { token, password: PASSWORD }, from("203.0.113.9"));
    await done;
    assert.equal(accepted.status, 201, JSON.stringify(accepted.body));
  });

  await t.test("links and keys are counted with them: an address has one share, on every node", async () => {
    const wrongLink = (i: number) =>
      open(nodes[i % 2]!, "/v1/invitations", { token: `wrong${i}`, password: PASSWORD }, from("198.51.100.5"));
    const links = await Promise.all(Array.from({ length: 2 * OF_ADDRESS }, (_, i) => wrongLink(i)));
    const looked = links.filter(({ status }) => status === 403).length;
    assert.ok(looked >= OF_ADDRESS && looked < 1.5 * OF_ADDRESS, `${looked} links were looked at`);
    const key = `pk_test_${"0".repeat(26)}_${"x".repeat(43)}`;
    const keys = await Promise.all(
      nodes.flatMap((node) =>
        Array.from({ length: 30 }, (_, i) => node.get("/v1/me", { key: key + i, headers: from("198.51.100.5") })),
      ),
    );
    assert.ok(keys.some(({ status, body }) => status === 429 && body.code === "too_many_failures"));
    const recording = "/v1/voice/calls/call_00000000000000000000000000/recording";
    const opened = await Promise.all(
      Array.from({ length: 2 * OF_ADDRESS }, (_, i) =>
        nodes[i % 2]!.get(`${recording}?token=a.b.${i}`, { key: null, headers: from("198.51.100.6") }),
      ),
    );
    const tried = opened.filter(({ status }) => status === 403).length;
    assert.ok(tried >= 1 && tried < 1.5 * OF_ADDRESS, `${tried} links of recordings were looked at`);
  });
});
