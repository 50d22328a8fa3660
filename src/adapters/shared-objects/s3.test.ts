import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { ObjectsAway } from "#ports/object-store.ts";
import { type S3Server, settingsOf, startS3 } from "#test/support/objects/s3-server.ts";
import { beforeStore, type StoreFault } from "#test/support/objects/unreliable-store.ts";
import type { NearObject } from "./far-store.ts";
import { s3Store } from "./s3.ts";

const NEVER = new AbortController().signal;
const NAME = "018f0000-0000-7000-8000-00000000000a/018f0000-0000-7000-8000-00000000000b.wav";

function anObject(text: string): NearObject {
  const bytes = Buffer.from(text);
  const digest = (algorithm: string) => createHash(algorithm).update(bytes).digest("hex");
  const open = async () => Readable.from([bytes], { objectMode: false });
  return { bytes: bytes.length, sha256: digest("sha256"), md5: digest("md5"), open };
}

async function textOf(stream: Readable | undefined): Promise<string> {
  return Buffer.concat(await stream!.toArray()).toString();
}

async function aBucket(t: TestContext) {
  const server = await startS3(t);
  return { server, store: s3Store(settingsOf(server)) };
}

async function anUnreliableOne(t: TestContext, fault: StoreFault) {
  const server: S3Server = await startS3(t);
  const proxy = await beforeStore(t, server.url);
  proxy.set(() => fault);
  return { server, proxy, store: s3Store(settingsOf(server, proxy.url)) };
}

test("an object of a bucket is read whole and in part, under its prefix", async (t) => {
  const { server, store } = await aBucket(t);
  await store.put(NAME, anObject("0123456789"), NEVER);

  assert.equal(await store.size(NAME), 10);
  assert.equal(await textOf(await store.read(NAME)), "0123456789");
  assert.equal(await textOf(await store.read(NAME, { start: 2, end: 5 })), "234");
  assert.equal(await textOf(await store.read(NAME, { start: 9, end: 10 })), "9");
  assert.deepEqual(server.keys(), [`recordings/${NAME}`]);
});

test("what is not in the bucket is nothing, and is removed all the same", async (t) => {
  const { store } = await aBucket(t);

  assert.equal(await store.size(NAME), undefined);
  assert.equal(await store.read(NAME), undefined);
  assert.equal(await store.has(NAME, anObject("a")), false);
  await store.remove(NAME);
});

test("a bucket has an object only if it has these very bytes", async (t) => {
  const { store } = await aBucket(t);
  await store.put(NAME, anObject("0123456789"), NEVER);

  assert.equal(await store.has(NAME, anObject("0123456789")), true);
  assert.equal(await store.has(NAME, anObject("0123456780")), false);
  assert.equal(await store.has(NAME, anObject("01234")), false);
  await store.remove(NAME);
  assert.equal(await store.has(NAME, anObject("0123456789")), false);
});

test("a bucket that is not there, or may not be used, is away, in words that say which", async (t) => {
  const { server } = await aBucket(t);
  const other = s3Store({ ...settingsOf(server), bucket: "no-such-bucket" });

  await assert.rejects(other.put(NAME, anObject("a"), NEVER), {
    name: "ObjectsAway",
    message: "bucket no-such-bucket: there is no such bucket",
  });
  const denied = await anUnreliableOne(t, "denied");
  await assert.rejects(denied.store.put(NAME, anObject("a"), NEVER), /access is denied/);
  await assert.rejects(denied.store.size(NAME), /access is denied/);
});

test("whatever a store does to a request, it is away and nothing is taken for stored", async (t) => {
  for (const fault of ["refused", "half", "unanswered", "error"] as const) {
    const { store } = await anUnreliableOne(t, fault);
    for (const work of [
      () => store.put(NAME, anObject("0123456789"), NEVER),
      () => store.size(NAME),
      () => store.read(NAME),
      () => store.remove(NAME),
      () => store.has(NAME, anObject("0123456789")),
    ]) {
      await assert.rejects(work, ObjectsAway, `${fault} ${work}`);
    }
  }
});

test("an upload whose answer was lost is found by the next look", async (t) => {
  const { proxy, store } = await anUnreliableOne(t, "unanswered");
  await assert.rejects(store.put(NAME, anObject("0123456789"), NEVER), ObjectsAway);
  proxy.set(() => undefined);

  assert.equal(await store.has(NAME, anObject("0123456789")), true);
});

test("nobody listens at the address: the store is away, and no secret is in the words", async () => {
  const secret = "a-very-secret-word";
  const store = s3Store({
    ...{ bucket: "b00", prefix: "", endpoint: "http://127.0.0.1:9", pathStyle: true },
    credentials: { accessKeyId: "ID", secretAccessKey: secret },
  });

  await assert.rejects(store.size(NAME), (error: Error) => {
    assert.match(error.message, /^bucket b00: nothing listens/);
    return !JSON.stringify(error).includes(secret);
  });
});
