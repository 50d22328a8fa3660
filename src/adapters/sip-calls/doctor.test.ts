import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import type { CallLine } from "#ports/call-line.ts";
import type { CarrierAccount, CarrierCheck, CarrierDriver } from "#ports/carrier-account.ts";
import { sipProvider } from "#test/support/calls/sip-provider.ts";
import type { Presets } from "./account.ts";
import { sipDriver } from "./driver.ts";

const presets = JSON.parse(readFileSync(new URL("../../../data/sip-presets.json", import.meta.url), "utf8")) as Presets;
const SECRET = "a-password-of-the-trunk";
const TO = "+12125550123";

const parts: Parameters<typeof sipDriver>[0] = {
  callsOf: () => ({ line: {} as CallLine, close() {} }),
  presets,
  hosts: tenantHosts(["127.0.0.1"]),
  bind: { address: "127.0.0.1", udpPort: 0 },
  random: randomBytes,
  resolver: {
    resolveSrv: () => Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" })),
    resolve4: () => Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" })),
    resolve6: () => Promise.reject(Object.assign(new Error("none"), { code: "ENOTFOUND" })),
  },
  newId: randomUUID,
  openMedia: async () => ({ local: { address: "127.0.0.1", port: 40_000, codecs: ["PCMU"] }, close() {} }),
};
const driver = sipDriver(parts);

const aProvider = async (t: TestContext, answers: Parameters<typeof sipProvider>[1]) =>
  (await sipProvider(t, answers)).port;

const check = (
  settings: Record<string, unknown>,
  to?: string,
  credentials: Record<string, string> = {},
  by: CarrierDriver = driver,
) => {
  const account = { carrier: "carrier_x", kind: "sip", credentials, settings, revision: 1 };
  const opened = by.open(account as unknown as CarrierAccount);
  return opened.check({ base: undefined }, to === undefined ? {} : { to }, AbortSignal.timeout(30_000));
};
const found = (checks: readonly CarrierCheck[]) => checks.map(({ name, ok }) => `${name}: ${ok ? "passed" : "failed"}`);
const at = (port: number) => ({ host: "127.0.0.1", port, numbers: ["+12125550100"] });

test("a trunk that takes a call passes, and its ladder has every message and nothing secret", async (t) => {
  const challenge = 'WWW-Authenticate: Digest realm="x", nonce="n1", algorithm=MD5, qop="auth"';
  const port = await aProvider(t, (method, text) => {
    if (method === "OPTIONS" || method === "BYE") return ["200 OK"];
    if (method !== "INVITE") return undefined;
    if (!/^Authorization:/m.test(text)) return ["401 Unauthorized", challenge];
    const sdp = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 4000 RTP/AVP 0"];
    return ["200 OK", `Contact: <sip:x@127.0.0.1:${port}>`, "Content-Type: application/sdp", "", ...sdp];
  });
  const checks = await check(at(port), TO, { username: "acme", password: SECRET });
  assert.deepEqual(found(checks), ["address: passed", "answer: passed", "call: passed"]);
  const ladder = checks.at(-1)!.ladder!;
  const said = ladder.map((line) => line.replace(/^\d+ ms /, ""));
  assert.match(said.find((line) => line.startsWith("-> INVITE"))!, /^-> INVITE sip:\+121\.\.\.23@127\.0\.0\.1/);
  for (const expected of ["<- 401 Unauthorized (to INVITE)", "<- 200 OK (to OPTIONS)", "<- 200 OK (to BYE)"])
    assert.ok(said.includes(expected), `${expected} in ${said.join("\n")}`);
  for (const secret of [SECRET, "response=", "inline:", "2125550123", "Authorization"])
    assert.ok(!ladder.join("\n").includes(secret), secret);
});

test("a call that is refused is explained by its status and by what the provider says, with what to change", async (t) => {
  const rows: [string, RegExp, RegExp][] = [
    ["403 Forbidden", /does not allow this call/, /address, the number that calls/],
    ["404 Not Found", /no such number/, /number_format/],
    ["488 Not Acceptable Here", /codec, SRTP or address/, /srtp/],
    ["603 Decline", /^$/, /^$/],
    ["607 Unwanted", /marked calls from this number as unwanted/, /reputation/],
    ["608 Rejected", /analytics rejected/, /reputation/],
    ["503 Service Unavailable", /no room/, /ladder/],
  ];
  for (const [status, problem, remedy] of rows) {
    const port = await aProvider(t, (method) =>
      method === "INVITE"
        ? [status, 'Reason: Q.850;cause=21;text="because"']
        : method === "ACK"
          ? undefined
          : ["200 OK"],
    );
    const last = (await check(at(port), TO)).at(-1)!;
    assert.equal(last.name, "call", status);
    // Declined by the phone: the trunk has done its part.
    if (status.startsWith("603")) assert.ok(last.ok, status);
    else {
      assert.match(last.problem!, problem, status);
      assert.match(last.problem!, /because/, status);
      assert.match(last.remedy!, remedy, status);
    }
  }
});

test("a registration that is refused names the credentials, a silent server says so, and an unknown name ends the check", async (t) => {
  const challenge = 'WWW-Authenticate: Digest realm="x", nonce="n1", algorithm=MD5, qop="auth"';
  const port = await aProvider(t, (method) => (method === "REGISTER" ? ["401 Unauthorized", challenge] : ["200 OK"]));
  const refused = await check({ ...at(port), register: true }, undefined, { username: "acme", password: SECRET });
  assert.deepEqual(found(refused), ["address: passed", "answer: passed", "credentials: failed"]);
  assert.match(refused.at(-1)!.remedy!, /username and password/);

  const silent = await check(at(await aProvider(t, () => undefined)));
  assert.deepEqual(found(silent), ["address: passed", "answer: failed"]);
  assert.match(silent.at(-1)!.problem!, /Nothing answered/);

  const unknown = await check({ host: "nowhere.example" });
  assert.deepEqual(found(unknown), ["address: failed"]);
});

test("a server without TLS is found out before anything is said to it", async (t) => {
  const port = await aProvider(t, () => undefined);
  const checks = await check({ ...at(port), transport: "tls" });
  assert.deepEqual(found(checks), ["address: passed", "tls: failed"]);
  assert.match(checks[1]!.remedy!, /5061/);
});

test("nothing is sent to a server at no public address, whether it is named, looked up, or the proxy", async (t) => {
  let asked = 0;
  const port = await aProvider(t, () => {
    asked++;
    return ["200 OK"];
  });
  const strict = sipDriver({
    ...parts,
    hosts: tenantHosts(),
    resolver: {
      resolveSrv: async (name) =>
        name === "_sip._udp.srv.example" ? [{ name: "inside.example", port, priority: 1, weight: 1 }] : [],
      resolve4: async (name) => (name.endsWith("inside.example") ? ["127.0.0.1", "169.254.169.254"] : ["8.8.8.8"]),
      resolve6: async () => [],
    },
  });
  for (const settings of [
    at(port),
    { ...at(port), host: "::ffff:127.0.0.1" },
    { ...at(port), host: "inside.example" },
    { host: "srv.example" },
    { host: "outside.example", outbound_proxy: `outside.example:9,inside.example:${port}` },
    { ...at(port), transport: "tcp" },
    { ...at(port), transport: "tls" },
  ]) {
    const checks = await check(settings, TO, {}, strict);
    assert.deepEqual(found(checks), ["address: failed"], JSON.stringify(settings));
    assert.match(checks[0]!.problem!, /is at no public address: nothing was sent to it/);
    assert.match(checks[0]!.remedy!, /PARLEY_CARRIER_PRIVATE_HOSTS/);
  }
  assert.equal(asked, 0);
});

test("a server that names a private address as its contact gets nothing sent there", async (t) => {
  let asked = 0;
  const inside = createSocket("udp4");
  inside.bind(0, "127.0.0.2");
  await once(inside, "listening");
  t.after(() => inside.close());
  inside.on("message", () => void asked++);
  const contact = `Contact: <sip:x@127.0.0.2:${inside.address().port}>`;
  const sdp = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 4000 RTP/AVP 0"];
  const port = await aProvider(t, (method) => {
    if (method === "INVITE") return ["200 OK", contact, "Content-Type: application/sdp", "", ...sdp];
    return method === "ACK" ? undefined : ["200 OK"];
  });
  await check(at(port), TO);
  assert.equal(asked, 0);
});

test("each wrong field of an account is named, and every preset is a trunk", () => {
  const wrong = (settings: Record<string, unknown>, credentials: Record<string, string> = {}) =>
    driver.problems({ credentials, settings: { host: "x.example", ...settings } }).map(({ field }) => field);
  assert.deepEqual(wrong({}), []);
  assert.deepEqual(wrong({ host: "x.example:5060" }), ["settings.host"]);
  for (const host of ["10.0.0.1", "169.254.169.254", "[::1]", "localhost", "[::ffff:10.0.0.1]", "0.0.0.0"]) {
    assert.deepEqual(wrong({ host }), ["settings.host"], host);
    assert.deepEqual(wrong({ outbound_proxy: `a.example,${host}:5060` }), ["settings.outbound_proxy"], host);
  }
  assert.deepEqual(wrong({ transport: "sctp", srtp: "maybe", number_format: "x" }), [
    "settings.transport",
    "settings.srtp",
    "settings.number_format",
  ]);
  assert.deepEqual(wrong({ preset: "constructor" }), ["settings.preset"]);
  assert.deepEqual(wrong({ identity: { header: "diversion" } }), ["settings.identity.header"]);
  assert.deepEqual(wrong({ outbound_proxy: "a.example, b.example:99999" }), ["settings.outbound_proxy"]);
  assert.deepEqual(wrong({ allowed_addresses: ["54.172.60.0/30", "0.0.0.0/0", "x", "54.172.60.1/24/1"] }), [
    "settings.allowed_addresses[1]",
    "settings.allowed_addresses[2]",
    "settings.allowed_addresses[3]",
  ]);
  assert.deepEqual(wrong({ numbers: ["+12125550100", "911"] }), ["settings.numbers[1]"]);
  assert.deepEqual(wrong({}, { username: "u" }), ["credentials.password"]);
  assert.deepEqual(wrong({ register: true }), ["credentials.username"]);
  for (const preset of Object.keys(presets)) assert.deepEqual(wrong({ preset }), [], preset);
});
