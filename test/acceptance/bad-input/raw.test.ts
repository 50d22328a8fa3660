import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import type pg from "pg";
import { type RawAnswer, rawRequest, sendRaw } from "#test/support/api/raw-http.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { startApiProcess } from "#test/support/processes/api-process.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const JSON_BODY = '{"name": "Raw"}';
const MB = 1024 * 1024;

/** Refused with one of these statuses, by the one error body, once, and with nothing written. */
const refusedBy =
  (client: pg.Client) =>
  async (statuses: readonly number[], sent: () => Promise<RawAnswer>, what = "") => {
    const before = await digestOfRows(client);
    const answer = await sent();
    const said = `${what} ${answer.headers}\n${answer.body.slice(0, 300)}`;
    assert.ok(statuses.includes(answer.status), said);
    assert.equal(answer.answers, 1, said);
    const body = JSON.parse(answer.body);
    assert.deepEqual([body.success, body.powered_by, typeof body.error], [false, "Parley", "string"], said);
    assert.match(answer.headers, new RegExp(`x-request-id: ${body.request_id}`, "i"), said);
    assert.deepEqual(await digestOfRows(client), before, said);
    return { ...answer, code: body.code as string };
  };

test("bad input, byte by byte", async (t) => {
  const api = await startApiProcess(t);
  const client = await openClient(t, api.databaseUrl);
  const key = `X-API-Key: ${api.key}`;
  const json = "Content-Type: application/json";
  const post = (headers: string[], body: string, path = "/v1/organizations") =>
    rawRequest(`POST ${path}`, [key, ...headers], body);
  const get = (path: string, headers: string[] = [key]) => rawRequest(`GET ${path}`, headers);
  const send = (...pieces: (string | Uint8Array)[]) => sendRaw(api.url, pieces);

  const refused = refusedBy(client);

  await t.test(
    "B018: 100 MB in chunks without a length are a 413, and the connection is closed while they come",
    async () => {
      const chunk = Buffer.from(`${(64 * 1024).toString(16)}\r\n${"x".repeat(64 * 1024)}\r\n`);
      const pieces = Array.from({ length: 1_600 }, () => chunk);
      for (const path of ["/v1/organizations", "/v1/contacts/lists"]) {
        const before = api.residentBytes();
        const head = post([json, "Transfer-Encoding: chunked"], "", path);
        const { code, closed } = await refused([413], () => sendRaw(api.url, [head, ...pieces]));
        assert.deepEqual([code, closed], ["payload_too_large", true]);
        assert.ok(api.residentBytes() - before < 250 * MB);
      }
    },
  );

  await t.test("a body over the limit is refused in words, which whoever sends it whole can read", async () => {
    const body = JSON.stringify({ name: "x".repeat(6 * MB) });
    for (let i = 0; i < 40; i++) {
      const { status, body: said } = await api.request("POST", "/v1/organizations", body);
      assert.deepEqual([status, said.code], [413, "payload_too_large"]);
    }
  });

  await t.test("B022: a body without a Content-Type is a 415", async () => {
    await refused([415], () => send(post([`Content-Length: ${JSON_BODY.length}`], JSON_BODY)));
  });

  await t.test(
    "B025: Content-Length and Transfer-Encoding together are a 400, and nothing is smuggled in behind",
    async () => {
      const smuggled = post([json, `Content-Length: ${JSON_BODY.length}`], JSON_BODY);
      const forms = [
        [json, "Content-Length: 4", "Transfer-Encoding: chunked"],
        [json, "Transfer-Encoding: chunked", "Content-Length: 4"],
        [json, "Content-Length: 4", "Content-Length: 5"],
        [json, "Transfer-Encoding: xchunked"],
        [json, "Transfer-Encoding: identity, chunked", "Content-Length: 4"],
        [json, "Content-Length: +4"],
        [json, "Content-Length: 4,4"],
      ];
      for (const headers of forms) {
        await refused([400, 415, 501], () => send(post(headers, `0\r\n\r\n${smuggled}`)), headers.join(", "));
      }
    },
  );

  await t.test("B026: a malformed chunk is a 400", async () => {
    for (const chunk of ["zz\r\n", "5\r\nabc\r\n0\r\n\r\n", "-1\r\nx\r\n", "FFFFFFFFFFFFFFFFF\r\nx\r\n"]) {
      await refused([400, 413], () => send(post([json, "Transfer-Encoding: chunked"], chunk)), chunk);
    }
  });

  await t.test(
    "B027: a header line that ends in a bare LF, a folded one and a space before the colon are a 400",
    async () => {
      const head = `GET /v1/me HTTP/1.1\r\nHost: x\r\n${key}`;
      for (const rest of [
        "\nX-A: b\r\n\r\n",
        "\r\nX-A : b\r\n\r\n",
        "\r\nX-A: b\r\n folded: c\r\n\r\n",
        "\r\nX\0A: b\r\n\r\n",
        "\r\n: b\r\n\r\n",
      ]) {
        const answer = await send(head + rest);
        // Folding is old but allowed; what it holds is one header's value.
        if (rest.includes("folded")) assert.ok([200, 400].includes(answer.status));
        else await refused([400], () => send(head + rest), JSON.stringify(rest));
      }
    },
  );

  await t.test(
    "B028: headers of 64 kB are a 431, B047: so is a key of 1 MB; B029: 200 headers are read as they are",
    async () => {
      const { code } = await refused([431], () => send(get("/v1/me", [key, `X-Long: ${"x".repeat(64 * 1024)}`])));
      assert.equal(code, "headers_too_large");
      await refused([431], () => send(get("/v1/me", [`X-API-Key: ${"x".repeat(MB)}`])));
      const many = Array.from({ length: 200 }, (_, i) => `X-H${i}: v`);
      assert.equal((await send(get("/v1/me", [...many, key]))).status, 200);
      // Past what is read, a key among them would be overlooked in silence.
      const more = Array.from({ length: 1_900 }, (_, i) => `H${i}:`);
      assert.ok([200, 431].includes((await send(get("/v1/me", [...more, key]))).status));
    },
  );

  await t.test("B032, B033: methods that nobody has are a 405 or a 400", async () => {
    for (const method of ["TRACE", "OPTIONS", "PROPFIND", "PURGE"]) {
      await refused([405, 404], () => send(rawRequest(`${method} /v1/me`, [key])), method);
    }
    for (const method of ["FOO", "get", "G ET", ""]) {
      await refused([400], () => send(rawRequest(`${method} /v1/me`, [key])), method);
    }
    const tunnel = await send(rawRequest("CONNECT example.com:443", [key]));
    assert.ok(tunnel.closed && ![200].includes(tunnel.status));
  });

  await t.test("B035-B040: unknown and malformed paths are a 404 or a 400", async () => {
    for (const path of [
      "//v1/me",
      "/v1//me",
      "/v1/../v1/me",
      "/v1/%2e%2e/v1/me",
      "/v1/me/%00",
      "/v1/me%00",
      "/v1/agents/%zz",
      "/v1/agents/%",
      "/v1/agents/%ff",
      `/v1/agents/${"x".repeat(8_000)}`,
      "/v1/агенты",
      "/v1/me\\",
      "/v1/me;x=1",
      "/V1/ME",
    ]) {
      await refused([400, 404], () => send(get(path)), path);
    }
    // The whole address in place of a path is the proxy's form, which every server has to take.
    assert.equal((await send(get("http://parley.test/v1/me"))).status, 200);
  });

  await t.test("B044: two keys, B046: a key with spaces or a NUL are the same 401 or no HTTP at all", async () => {
    const texts = new Set<string>();
    for (const headers of [
      [key, key],
      [`${key} `.replace("pk_", "pk_ ")],
      [`X-API-Key: ${api.key} ${api.key}`],
      [`X-API-Key: ${api.key}\tx`],
    ]) {
      const { body } = await refused([401], () => send(get("/v1/me", headers)), headers.join(", "));
      texts.add(JSON.stringify({ ...JSON.parse(body), request_id: "" }));
    }
    assert.equal(texts.size, 1);
    await refused([400], () => send(get("/v1/me", [`${key}\0`])));
  });

  await t.test("a request without Host, and one of another protocol, are a 400", async () => {
    await refused([400], () => send(`GET /v1/me HTTP/1.1\r\n${key}\r\n\r\n`));
    for (const text of [
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET /v1/me HTTP/9.9\r\n\r\n",
      "\0\0\0\0\r\n\r\n",
    ]) {
      await refused([400], () => send(Buffer.from(text, "latin1")), JSON.stringify(text));
    }
  });

  await t.test("a request that is cut off half way is not carried out", async () => {
    const before = await digestOfRows(client);
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(post([json, "Content-Length: 1000", "Expect: 100-continue"], JSON_BODY));
    // The api has begun with it.
    const [answer] = await once(socket, "data");
    assert.match(String(answer), /^HTTP\/1\.1 100 /);
    socket.destroy();
    assert.equal((await api.get("/v1/me")).status, 200);
    assert.deepEqual(await digestOfRows(client), before);
  });

  await t.test("the api keeps running and logs no error", async () => {
    assert.equal((await api.get("/v1/me")).status, 200);
    assert.deepEqual(api.complaints, []);
  });
});

test("B030: a body that trickles in is a 408, and B031: a connection that says nothing is closed", async (t) => {
  const api = await startApiProcess(t, { PARLEY_REQUEST_TIMEOUT_MS: "1000" });
  const refused = refusedBy(await openClient(t, api.databaseUrl));
  const body = [...JSON_BODY.repeat(100)];
  const headers = [`X-API-Key: ${api.key}`, "Content-Type: application/json", `Content-Length: ${body.length}`];
  const trickle = [rawRequest("POST /v1/organizations", headers), ...body];
  const slow = await refused([408], () => sendRaw(api.url, trickle, { everyMs: 100 }));
  assert.deepEqual([slow.code, slow.closed], ["request_timeout", true]);
  for (const little of [["GET /v1/me HT"], []]) {
    assert.equal((await sendRaw(api.url, little)).closed, true);
  }
  assert.deepEqual(api.complaints, []);
});
