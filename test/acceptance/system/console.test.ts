import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import Fastify from "fastify";
import { addConsole } from "#http/server/console.ts";
import { secureHeaders } from "#http/server/secure-headers.ts";
import { startParley } from "#test/support/api/parley.ts";
import { aFolder } from "#test/support/source/folder.ts";

const PAGE = "<!doctype html><title>Parley</title>";
const SCRIPT = "console.log('the console');";

/** The edge with a small build of the test's own, or with none. */
async function consoleApp(isBuilt = true) {
  const folder = join(aFolder("console"), "dist");
  if (isBuilt) {
    mkdirSync(join(folder, "assets"), { recursive: true });
    writeFileSync(join(folder, "index.html"), PAGE);
    writeFileSync(join(folder, "mark.svg"), "<svg/>");
    writeFileSync(join(folder, "assets", "index-abc.js"), SCRIPT);
    writeFileSync(join(folder, "assets", "index-abc.js.br"), brotliCompressSync(SCRIPT));
  }
  const app = Fastify();
  secureHeaders(app);
  await addConsole(app, folder);
  return app;
}

test("every path of the console that is no file is the page, which is asked for anew each time", async () => {
  const app = await consoleApp();

  for (const url of ["/console/", "/console/agents", "/console/sms-campaigns/x.y?tab=leads", "/console/setup"]) {
    const { statusCode, headers, body } = await app.inject({ url });
    assert.deepEqual([statusCode, headers["cache-control"], body], [200, "no-cache", PAGE], url);
    assert.match(String(headers["content-type"]), /^text\/html/);
  }
  assert.equal((await app.inject({ url: "/console/mark.svg" })).headers["cache-control"], "no-cache");
});

test("files with a hash in their name are kept for ever, and sent as they were compressed", async () => {
  const app = await consoleApp();
  const url = "/console/assets/index-abc.js";

  const plain = await app.inject({ url });
  assert.equal(plain.body, SCRIPT);
  assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");

  const small = await app.inject({ url, headers: { "accept-encoding": "gzip, br" } });
  assert.equal(small.headers["content-encoding"], "br");
  assert.deepEqual(small.rawPayload, brotliCompressSync(SCRIPT));
  assert.match(String(small.headers["content-type"]), /javascript/);

  const gone = await app.inject({ url: "/console/assets/index-old.js" });
  assert.equal(gone.statusCode, 404, "a page in place of a script would be an error that nobody understands");
});

test("a browser runs no script but the console's own files, and lets the page talk to no other host", async () => {
  const app = await consoleApp();

  const { headers } = await app.inject({ url: "/console/agents" });

  const policy = Object.fromEntries(
    String(headers["content-security-policy"])
      .split("; ")
      .map((part) => [part.split(" ")[0]!, part.split(" ").slice(1)]),
  );
  assert.deepEqual(policy["default-src"], ["'none'"]);
  assert.deepEqual(policy["script-src"], ["'self'"]);
  assert.deepEqual(policy["worker-src"], ["'self'"]);
  assert.deepEqual(policy["connect-src"], ["'self'"]);
  assert.deepEqual(policy["frame-ancestors"], ["'none'"]);
  assert.equal(headers["x-content-type-options"], "nosniff");
});

test("nothing but the build is handed out", async () => {
  const app = await consoleApp();

  for (const url of ["/console/../package.json", "/console/%2e%2e/%2e%2e/etc/passwd", "/console/assets/..%2f..%2fx"]) {
    const { statusCode, body } = await app.inject({ url });
    assert.ok(statusCode >= 400 || body === PAGE, `${url}: ${statusCode} ${body}`);
  }
  assert.equal((await app.inject({ method: "POST", url: "/console/agents" })).statusCode, 404);
});

test("without a build the console says how it is made", async () => {
  const app = await consoleApp(false);

  const { statusCode, headers, body } = await app.inject({ url: "/console/" });

  assert.equal(statusCode, 503);
  assert.match(String(headers["content-type"]), /^text\/plain/);
  assert.match(body, /not built.*npm start/);
});

test("the root address redirects to the console, and other paths do not exist", async (t) => {
  const { url } = await startParley(t, {}, ["api"]);

  const home = await fetch(`${url}/`, { redirect: "manual" });
  assert.deepEqual([home.status, home.headers.get("location")], [302, "/console/"]);
  const bare = await fetch(`${url}/console`, { redirect: "manual" });
  assert.ok([200, 503].includes(bare.status), "with and without a build");
  const beside = await fetch(`${url}/consoles`);
  assert.equal(beside.status, 404);
  assert.match(beside.headers.get("content-type")!, /json/);
});
