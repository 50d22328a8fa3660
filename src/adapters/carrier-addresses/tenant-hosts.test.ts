import assert from "node:assert/strict";
import { once } from "node:events";
import { BlockList, connect } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { guardedLookup, HostNotPublic, isPublic, tenantHosts } from "./tenant-hosts.ts";

const within = (base: number, bits: number) =>
  fc.nat({ max: 2 ** (32 - bits) - 1 }).map((rest) => {
    const whole = base + rest;
    return [24, 16, 8, 0].map((shift) => Math.floor(whole / 2 ** shift) % 256).join(".");
  });
const base = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const PRIVATE = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4"],
  "240.0.0.0/4",
];
const privateV4 = fc.oneof(
  ...PRIVATE.map((network) => {
    const [address, bits] = network.split("/") as [string, string];
    return within(base(address), Number(bits));
  }),
);

test("no address of a private or special network is public, nor in any form of IPv6 that holds it", () => {
  const hosts = tenantHosts();
  fc.assert(
    fc.property(privateV4, (address) => {
      const [a, b, c, d] = address.split(".").map(Number) as [number, number, number, number];
      const [high, low] = [a * 256 + b, c * 256 + d].map((half) => half.toString(16)) as [string, string];
      const forms = [
        address,
        `::ffff:${address}`,
        `::ffff:${high}:${low}`,
        `0:0:0:0:0:FFFF:${high}:${low}`,
        `::${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `2002:${high}:${low}::1`,
      ];
      for (const form of forms) {
        assert.equal(isPublic(form), false, form);
        assert.match(hosts.problem(form) ?? "", /^must be a host of the internet/, form);
        assert.ok(hosts.problem(`[${form}]`), form);
        assert.equal(hosts.mayReach("gateway.example", form), false, form);
      }
    }),
    { numRuns: 500 },
  );
});

test("every other address of IPv4 is public", () => {
  const special = new BlockList();
  for (const network of [...PRIVATE, "192.88.99.0/24"]) {
    const [address, bits] = network.split("/") as [string, string];
    special.addSubnet(address, Number(bits));
  }
  fc.assert(
    fc.property(within(0, 0), (address) => {
      assert.equal(isPublic(address), !special.check(address), address);
    }),
    { numRuns: 1_000 },
  );
});

test("IPv6: global unicast alone", () => {
  for (const address of ["2606:4700:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888"])
    assert.ok(isPublic(address), address);
  const others = [
    ...["::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1", "2001:db8::1"],
    ...["2001::1", "3fff::1", "100::1", "5f00::1", "64:ff9b:1::1", "2606:4700:4700::1111%eth0", "8.8.8.8/8", "x", ""],
  ];
  for (const address of others) assert.equal(isPublic(address), false, address);
});

test("names of this machine and old forms of addresses are refused, other names are looked up later", () => {
  const hosts = tenantHosts();
  for (const host of [
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0x7f000001",
    "127.0.0.1.",
  ])
    assert.ok(hosts.problem(host), host);
  for (const host of ["sip.example.com", "localhost.example", "8.8.8.8", "[2606:4700:4700::1111]", "7.example"])
    assert.equal(hosts.problem(host), undefined, host);
  assert.equal(hosts.mayReach("sip.example.com", "not an address"), false);
});

test("the operator's list lets in names, addresses and networks, and nothing beside them", () => {
  const hosts = tenantHosts(["pbx.office.example", "10.1.2.3", "192.168.7.0/24", "fd00::/8"]);
  for (const host of ["10.1.2.3", "192.168.7.9", "[fd00::1]", "PBX.office.example."])
    assert.equal(hosts.problem(host), undefined, host);
  for (const host of ["10.1.2.4", "192.168.8.1", "127.0.0.1", "fe80::1"]) assert.ok(hosts.problem(host), host);
  assert.ok(hosts.mayReach("pbx.office.example", "10.9.9.9"));
  assert.ok(hosts.mayReach("gateway.example", "192.168.7.1"));
  assert.equal(hosts.mayReach("gateway.example", "10.9.9.9"), false);
  assert.equal(hosts.mayReach("gateway.example", "10.1.2.3%eth0"), false);
});

test("a socket to a name that leads to this machine is refused before anything leaves", async () => {
  for (const autoSelectFamily of [true, false]) {
    const socket = connect({ host: "localhost", port: 9, autoSelectFamily, lookup: guardedLookup(tenantHosts()) });
    const [error] = await once(socket, "error");
    assert.ok(error instanceof HostNotPublic, String(error));
  }
});
