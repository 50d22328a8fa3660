import assert from "node:assert/strict";
import { test } from "node:test";
import { PNG, startMediaHost } from "#test/support/carriers/media-host.ts";
import { type DownloadWay, download } from "./download.ts";
import { vendorHosts } from "./hosts.ts";

const signal = new AbortController().signal;

/** A carrier whose files are at a stand-in, of which only the first host is given a key. */
const way = (url: string, more: Partial<DownloadWay> = {}): DownloadWay => ({
  hosts: vendorHosts({ "api.example.com": url, "cdn.example.net": url }),
  allowed: ["example.com", "example.net"],
  headersFor: (host): Record<string, string> => (host === "api.example.com" ? { authorization: "Basic secret" } : {}),
  ...{ maxBytes: 100_000, withinMs: 2_000 },
  ...more,
});

const problemOf = async (url: string, of: DownloadWay) => {
  const answer = await download(url, of, signal);
  return answer.outcome === "failed" ? [answer.problem, answer.again] : answer.outcome;
};

test("a file is fetched over a redirect, and the key goes to the first host alone", async (t) => {
  const host = await startMediaHost(t);
  host.files.set("/media/1", { redirect: "https://cdn.example.net/cat.png?sig=1" });
  host.files.set("/cat.png", { type: "image/png", bytes: PNG });
  const answer = await download("https://api.example.com/media/1", way(host.url), signal);
  assert.ok(answer.outcome === "fetched");
  assert.deepEqual([answer.contentType, Buffer.from(answer.bytes)], ["image/png", PNG]);
  assert.deepEqual(
    host.requests.map(({ path, headers }) => [path, headers.authorization]),
    [
      ["/media/1", "Basic secret"],
      ["/cat.png", undefined],
    ],
  );
});

test("nothing is asked of any host but the carrier's, wherever it redirects to", async (t) => {
  const host = await startMediaHost(t);
  const others = ["http://127.0.0.1/", "https://127.0.0.1/", "https://[::1]/", "https://evil.example.org/x"];
  const forms = ["https://notexample.com/", "http://api.example.com/", "https://api.example.com:8443/"];
  const named = ["https://me:pass@api.example.com/", "file:///etc/passwd", "not an address", ""];
  for (const url of [...others, ...forms, ...named]) {
    const [problem, again] = (await problemOf(url, way(host.url))) as [string, boolean];
    assert.match(problem, /^It(?:s address| is at a host)/, url);
    assert.equal(again, false);
    host.files.set("/media/1", { redirect: url });
    if (URL.canParse(url))
      assert.match(String(await problemOf("https://api.example.com/media/1", way(host.url))), /^It/);
  }
  assert.deepEqual([...new Set(host.requests.map(({ path }) => path))], ["/media/1"]);
});

test("a host of the carrier's whose name leads into a private network is not asked", async () => {
  const of = way("http://127.0.0.1:1", { allowed: ["localhost"], hosts: vendorHosts() });
  assert.deepEqual(await problemOf("https://localhost/x", of), ["It is at an address within a private network", false]);
});

test("what is gone, too large, too slow or refused says so, and whether it may be there later", async (t) => {
  const host = await startMediaHost(t);
  const ask = (path: string, more: Partial<DownloadWay> = {}) =>
    problemOf(`https://api.example.com${path}`, way(host.url, more));
  assert.deepEqual(await ask("/gone"), ["The carrier does not have it any more (404)", false]);
  for (const [status, again] of [
    [401, true],
    [403, false],
    [429, true],
    [503, true],
    [204, false],
  ] as const) {
    host.files.set("/x", { status });
    assert.deepEqual(((await ask("/x")) as unknown[])[1], again, String(status));
  }
  const maxBytes = 1024 * 1024;
  host.files.set("/large", { type: "image/png", bytes: Buffer.alloc(maxBytes + 1) });
  host.files.set("/endless", { type: "image/png", endless: 50 * maxBytes });
  for (const path of ["/large", "/endless"])
    assert.deepEqual(await ask(path, { maxBytes }), ["It is larger than 1 MB", false]);
  host.files.set("/slow", "silent");
  assert.deepEqual(await ask("/slow", { withinMs: 100 }), ["The carrier did not send it within 0.1 s", true]);
  host.files.set("/loop", { redirect: "https://api.example.com/loop" });
  assert.deepEqual(await ask("/loop"), ["The carrier redirects it again and again", false]);
  const nobody = way("http://127.0.0.1:1");
  assert.deepEqual(await problemOf("https://api.example.com/x", nobody), [
    "The carrier could not be reached (ECONNREFUSED)",
    true,
  ]);
});

test("an abort ends it, and is no answer of the carrier's", async (t) => {
  const host = await startMediaHost(t);
  host.files.set("/slow", "silent");
  const controller = new AbortController();
  const asked = download("https://api.example.com/slow", way(host.url), controller.signal);
  controller.abort();
  await assert.rejects(asked, { name: "AbortError" });
});
