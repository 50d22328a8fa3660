import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const address = new URL("../../console/src/api/unanswered.ts", import.meta.url).href;
type Unanswered = { keyFor: (sent: string, now?: number) => string; answered: (sent: string, now?: number) => void };

const stored = new Map<string, string>();
/** Of a browser that stores what it is given. */
const storage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
};
Object.assign(globalThis, { sessionStorage: storage });
let loads = 0;
/** The module of a page that has just been loaded. */
const load = async (): Promise<Unanswered> => {
  const anew = `${address}?load=${loads++}`;
  return await import(anew);
};

beforeEach(() => stored.clear());

test("what is sent again without an answer goes under the same key, also after a reload", async () => {
  const page = await load();
  const key = page.keyFor('/v1/campaigns {"name":"Spring"}');

  assert.match(key, /^[0-9a-f]{32}$/);
  assert.equal(page.keyFor('/v1/campaigns {"name":"Spring"}'), key);
  assert.equal((await load()).keyFor('/v1/campaigns {"name":"Spring"}'), key);
});

test("anything else, and the same once it was answered, gets a key of its own", async () => {
  const page = await load();
  const key = page.keyFor('/v1/campaigns {"name":"Spring"}');
  const other = page.keyFor('/v1/campaigns {"name":"Summer"}');
  page.answered('/v1/campaigns {"name":"Spring"}');

  assert.notEqual(other, key);
  assert.notEqual(page.keyFor('/v1/campaigns {"name":"Spring"}'), key);
  assert.equal(page.keyFor('/v1/campaigns {"name":"Summer"}'), other);
});

test("a key is forgotten when the service has forgotten it", async () => {
  const page = await load();
  const key = page.keyFor("/v1/demo ", 0);

  assert.equal(page.keyFor("/v1/demo ", 86_399_999), key);
  assert.notEqual(page.keyFor("/v1/demo ", 86_400_000), key);
});

test("a browser that stores nothing keeps the keys for as long as the page is open", async (t) => {
  t.mock.method(storage, "setItem", () => {
    throw new Error("full");
  });
  const page = await load();
  const key = page.keyFor("/v1/demo ");

  assert.equal(page.keyFor("/v1/demo "), key);
});
