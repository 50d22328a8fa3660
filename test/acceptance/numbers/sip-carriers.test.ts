import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { startParley } from "#test/support/api/parley.ts";

const LIVE_KEY = "pk_live_bootstrap_0123456789abcdef0123456789abcdef";
const NUMBER = "+12125550100";
const TO = "+12125550123";
const PASSWORD = "the-trunks-own-password";

test("a tenant's SIP trunk", async (t) => {
  const server = createSocket("udp4");
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  server.on("message", (bytes, from) => {
    const lines = bytes.toString().split("\r\n");
    const [method] = lines[0]!.split(" ");
    if (method === "ACK") return;
    const status = method === "INVITE" ? "403 Forbidden" : "200 OK";
    const kept = lines.filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line));
    const answer = kept.map((line) => (line.startsWith("To:") ? `${line};tag=t` : line));
    server.send([`SIP/2.0 ${status}`, ...answer, "Content-Length: 0", "", ""].join("\r\n"), from.port, from.address);
  });
  const api = await startParley(t, { PARLEY_BOOTSTRAP_API_KEY: LIVE_KEY, PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" }, [
    "api",
  ]);
  const settings = { host: "127.0.0.1", port: server.address().port, preset: "asterisk", numbers: [NUMBER] };
  const body = { name: "Office", kind: "sip", credentials: { username: "acme", password: PASSWORD }, settings };

  await t.test("is refused with the fields that are wrong", async () => {
    const wrong = { ...settings, allowed_addresses: ["0.0.0.0/0"], transport: "carrier pigeon" };
    const { status, body: answer } = await api.post("/v1/carriers", { ...body, settings: wrong });
    assert.equal(status, 400, JSON.stringify(answer));
    assert.match(answer.error, /settings\.transport/);
    assert.match(JSON.stringify(answer), /allowed_addresses\[0\]/);
  });

  await t.test("is refused when it leads into the service's own network", async () => {
    for (const host of ["169.254.169.254", "10.0.0.1", "127.0.0.2", "[::1]", "[::ffff:169.254.169.254]", "localhost"]) {
      const { status, body: answer } = await api.post("/v1/carriers", { ...body, settings: { ...settings, host } });
      assert.equal(status, 400, host);
      assert.match(answer.error, /^settings\.host must be a host of the internet/, host);
    }
    const proxied = { ...settings, outbound_proxy: "sip.example.com,192.168.0.1:5060" };
    const { status, body: answer } = await api.post("/v1/carriers", { ...body, settings: proxied });
    assert.equal(status, 400);
    assert.match(answer.error, /^settings\.outbound_proxy must be a host of the internet/);
  });

  const made = await api.post("/v1/carriers", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/carriers/${made.body.carrier.carrier_id}`;

  await t.test("has its numbers once it is connected, and says what is missing", async () => {
    const { status, body: connected } = await api.post(`${path}/connect`, {});
    assert.equal(status, 200, JSON.stringify(connected));
    assert.deepEqual(
      connected.numbers.map((number: { phone_number: string }) => number.phone_number),
      [NUMBER],
    );
    assert.match(connected.missing.join(" "), /allowed_addresses/);
  });

  await t.test("is examined with a call, and the cause and the ladder are answered without its password", async () => {
    const { status, body: examined } = await api.post(`${path}/check`, { to: TO });
    assert.equal(status, 200, JSON.stringify(examined));
    const call = examined.checks.at(-1);
    assert.deepEqual([call.name, call.ok], ["call", false]);
    assert.match(call.problem, /does not allow this call/);
    assert.ok(call.ladder.some((line: string) => line.includes("<- 403 Forbidden")));
    assert.ok(!JSON.stringify(examined).includes(PASSWORD));
    assert.equal(examined.carrier.status, "connected");
  });

  await t.test("cannot be pointed into the service's own network by a change", async () => {
    const { status, body: answer } = await api.patch(path, { settings: { ...settings, host: "169.254.169.254" } });
    assert.equal(status, 400);
    assert.match(answer.error, /settings\.host must be a host of the internet/);
    assert.equal((await api.get(path)).body.carrier.settings.host, "127.0.0.1");
  });
});
