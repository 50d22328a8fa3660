import assert from "node:assert/strict";
import { test } from "node:test";
import { locate, type Resolver, type SrvRecord } from "./locate.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });
const none = () => Promise.reject(failure("ENOTFOUND"));

/** A name service that knows these servers, each at an address of its own. */
function resolver(srv: readonly SrvRecord[], more: Partial<Resolver> = {}): Resolver {
  const addressOf = (name: string) => `192.0.2.${name.charCodeAt(0)}`;
  return {
    resolveSrv: async () => srv,
    resolve4: async (name) => [addressOf(name)],
    resolve6: none,
    ...more,
  };
}

/** Chance that is the same each time: a generator of Park and Miller's. */
function chance(seed: number): (bytes: number) => Buffer {
  let state = seed;
  return (bytes) => {
    const out = Buffer.alloc(bytes);
    state = (state * 48_271) % 0x7fffffff;
    out.writeUInt32BE(state * 2);
    return out;
  };
}

const place = { host: "trunk.test", port: undefined, protocol: "udp" } as const;
const server = (name: string, priority: number, weight: number): SrvRecord => ({ name, port: 5060, priority, weight });

test("servers are tried by their priority, and within one as often first as their weight says", async () => {
  const names = resolver([server("c", 20, 0), server("a", 10, 60), server("b", 10, 20), server("d", 10, 0)]);
  const random = chance(7);
  const first = new Map<string, number>();
  for (let i = 0; i < 4_000; i++) {
    const hops = await locate(place, names, random);
    assert.equal(hops.length, 4);
    assert.equal(hops.at(-1)?.address, "192.0.2.99", "the last resort is the last");
    const name = String.fromCharCode(Number(hops[0]!.address.split(".")[3]));
    first.set(name, (first.get(name) ?? 0) + 1);
  }
  const share = (name: string) => (first.get(name) ?? 0) / 4_000;
  assert.ok(Math.abs(share("a") - 0.75) < 0.03, `${share("a")}`);
  assert.ok(Math.abs(share("b") - 0.25) < 0.03, `${share("b")}`);
  assert.ok(share("d") < 0.01, "without a weight hardly ever");
});

test("without SRV the name itself is looked up, at the protocol's port, and by IPv6 where there is no other", async () => {
  const bare = resolver([], { resolveSrv: none });
  assert.deepEqual(await locate(place, bare, chance(1)), [{ protocol: "udp", address: "192.0.2.116", port: 5060 }]);
  const modern = resolver([], { resolveSrv: none, resolve4: none, resolve6: async () => ["2001:db8::1"] });
  assert.deepEqual(await locate({ ...place, protocol: "tls" }, modern, chance(1)), [
    { protocol: "tls", address: "2001:db8::1", port: 5061 },
  ]);
  const unknown = resolver([], { resolveSrv: none, resolve4: none });
  assert.deepEqual(await locate(place, unknown, chance(1)), []);
});

test("a name service that fails is not taken for one that knows no servers", async () => {
  const failing = resolver([], { resolveSrv: () => Promise.reject(failure("ETIMEOUT")) });
  await assert.rejects(locate(place, failing, chance(1)), { code: "ETIMEOUT" });
  const half = resolver([server("a", 10, 0), server("b", 20, 0)], {
    resolve4: (name) => (name === "a" ? Promise.reject(failure("ESERVFAIL")) : Promise.resolve(["192.0.2.98"])),
  });
  assert.deepEqual(
    (await locate(place, half, chance(1))).map(({ address }) => address),
    ["192.0.2.98"],
  );
});
