import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import { type MetricsAccess, metricsReaders } from "./metrics-access.ts";

const TOKEN = "a-token-of-a-monitor";

/** A request of whoever connects from `peer`; `client` is for whom, as the trusted proxies say. */
function may(access: Partial<MetricsAccess>, peer: string, headers: Record<string, string> = {}, client = peer) {
  const request = { ip: client, headers, socket: { remoteAddress: peer } } as unknown as FastifyRequest;
  return metricsReaders({ token: undefined, trustedProxies: undefined, ...access })(request);
}

test("metrics are for this machine itself", () => {
  for (const peer of ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]) assert.equal(may({}, peer), true, peer);
  for (const peer of ["10.0.0.7", "203.0.113.9", "::ffff:10.0.0.7", "2001:db8::1", ""]) {
    assert.equal(may({}, peer), false, peer);
  }
});

test("what a proxy of this machine passes on is not of this machine", () => {
  // Named as trusted, whatever it says and does not say.
  const trusted = { trustedProxies: ["127.0.0.1"] };
  assert.equal(may(trusted, "127.0.0.1"), false);
  assert.equal(may(trusted, "127.0.0.1", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"), false);
  assert.equal(may(trusted, "127.0.0.1", { "x-forwarded-for": "127.0.0.1" }), false);
  // Not named, but it says so itself.
  for (const name of ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"]) {
    assert.equal(may({}, "127.0.0.1", { [name]: "127.0.0.1" }), false, name);
  }
  // One elsewhere that says it is for this machine.
  const elsewhere = { trustedProxies: ["10.0.0.0/8"] };
  assert.equal(may(elsewhere, "10.0.0.7", { "x-forwarded-for": "127.0.0.1" }, "127.0.0.1"), false);
  assert.equal(may(elsewhere, "127.0.0.1"), true);
});

test("elsewhere the token opens them, and nothing like it", () => {
  const by = (authorization: string) => may({ token: TOKEN }, "203.0.113.9", { authorization });
  assert.equal(by(`Bearer ${TOKEN}`), true);
  assert.equal(by(`bearer ${TOKEN}`), true);
  for (const wrong of ["", "Bearer", "Bearer ", TOKEN, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, "Bearer undefined"]) {
    assert.equal(by(wrong), false, wrong);
    assert.equal(may({}, "203.0.113.9", { authorization: wrong }), false, wrong);
  }
  assert.equal(
    may({ token: TOKEN, trustedProxies: ["127.0.0.1"] }, "127.0.0.1", { authorization: `Bearer ${TOKEN}` }),
    true,
  );
});
