import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import type { OutgoingText } from "#ports/sms-carrier.ts";
import { aText, send, smppAccount } from "#test/support/carriers/smpp/account.ts";
import { smppGateway } from "#test/support/carriers/smpp/gateway.ts";
import { until } from "#test/support/time/until.ts";

const texts = (n: number) => Array.from({ length: n }, (_, i) => aText("Hello", `+1310556${1_000 + i}`));
const allOf = (them: readonly OutgoingText[]) => new Set(them.map(({ ref }) => ref));

test("no octet of a text is written before its mark is committed, and none of one that is not marked", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port, { window: 10 });
  const them = texts(10);
  const committed = Promise.withResolvers<ReadonlySet<Uuid>>();
  let isAsked = false;
  const sent = send(
    account,
    them,
    () => true,
    () => {
      isAsked = true;
      return committed.promise;
    },
  );
  await until("it is to be marked", async () => isAsked);
  // Whatever had been written would be answered before this is.
  await gateway.deliver({ source_addr: "13105550123", destination_addr: "13105550100", short_message: "Hi" });
  assert.equal(gateway.submitted.length, 0);
  committed.resolve(allOf(them.slice(0, 6)));
  const outcomes = await sent;
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    [...Array(6).fill("accepted"), ...Array(4).fill("not_sent")],
  );
  assert.equal(gateway.submitted.length, 6);
});

test("nothing leaves where marks cannot be written, nor once a process may send no more after its mark", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port, { window: 10 });
  const failing = await send(
    account,
    texts(3),
    () => true,
    () => Promise.reject(new Error("the database is away")),
  );
  assert.ok(failing.every(({ outcome }) => outcome === "not_sent"));
  let isAlive = true;
  const late = await send(
    account,
    texts(3),
    () => isAlive,
    async (them) => {
      isAlive = false;
      return allOf(them);
    },
  );
  assert.ok(late.every(({ outcome }) => outcome === "not_sent"));
  assert.equal(gateway.submitted.length, 0);
  assert.equal((await send(account, texts(1)))[0]!.outcome, "accepted", "and the next leave");
});

test("marks go in sets, and no more are marked than the window has and half of one ahead", async (t) => {
  let isOpen = false;
  const gateway = await smppGateway(t, { status: () => (isOpen ? 0 : undefined) });
  const account = await smppAccount(t, gateway.port, { window: 20 });
  const sets: number[] = [];
  const marked = () => sets.reduce((sum, n) => sum + n, 0);
  const sent = send(
    account,
    texts(200),
    () => true,
    async (them) => {
      sets.push(them.length);
      return allOf(them);
    },
  );
  await until("the window is full", async () => gateway.submitted.length === 20);
  assert.ok(marked() <= 30, `${marked()} are marked`);
  isOpen = true;
  const outcomes = await sent;
  assert.equal(marked(), 200);
  // The first window had no answers; what waited behind it left all the same.
  assert.equal(outcomes.filter(({ outcome }) => outcome === "accepted").length, 180);
  assert.ok(sets.length <= 20, `${sets.length} statements for 200 texts`);
});

test("by a slow contract what is marked leaves soon", async (t) => {
  const gateway = await smppGateway(t);
  const account = await smppAccount(t, gateway.port, { window: 50, per_second: 20 });
  let most = 0;
  let marked = 0;
  await send(
    account,
    texts(30),
    () => true,
    async (them) => {
      marked += them.length;
      most = Math.max(most, marked - gateway.submitted.length);
      return allOf(them);
    },
  );
  assert.equal(marked, 30);
  assert.ok(most <= 5, `${most} were marked and not written`);
});
