import assert from "node:assert/strict";
import { test } from "node:test";
import type { RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { type Arrival, rtpHistory, rtpSource } from "./rtp-source.ts";

const GATEWAY = "192.0.2.1";
const REMOTE: RemoteMedia = {
  address: GATEWAY,
  port: 4_000,
  rtcpPort: 4_001,
  isRtcpMuxed: false,
  codec: "PCMU",
  payloadType: 0,
  hears: true,
  speaks: true,
  from: ["198.51.100.0/24"],
};

/** Packets as `address:port ssrc @ms`, with `!` for one that has proved itself; which of them are taken. */
function taken(remote: Partial<RemoteMedia>, ...packets: string[]): string {
  const source = rtpSource({ ...REMOTE, ...remote }, rtpHistory());
  return packets
    .map((text) => {
      const [, address, port, ssrc, ms, proof] = /^([\d.]+):(\d+) (\d+) @(\d+)(!?)$/.exec(text)!;
      const arrival: Arrival = {
        address: address!,
        port: Number(port),
        ssrc: Number(ssrc),
        nowMs: Number(ms),
        isAuthentic: proof === "!",
      };
      return source.accepts(arrival) ? "+" : "-";
    })
    .join("");
}

const leaving = (source: { mayLeave(): boolean }, packets: number) =>
  Array.from({ length: packets }, () => source.mayLeave()).filter(Boolean).length;

test("packets are taken from where the description says, and from nobody else's address", () => {
  assert.equal(taken({}, "192.0.2.1:4000 1 @0", "203.0.113.9:4000 1 @20", "192.0.2.1:4000 2 @40"), "+-+");
  assert.equal(taken({}, "203.0.113.9:4000 1 @0", "203.0.113.9:4000 1 @9000"), "--");
});

test("another port of it, or an address of the trunk's, is followed once, with the source number that was heard", () => {
  assert.equal(taken({}, "192.0.2.1:5000 1 @0", "192.0.2.1:5000 1 @20", "192.0.2.1:6000 1 @9000"), "++-");
  assert.equal(taken({}, "198.51.100.7:5000 1 @0", "198.51.100.8:5000 1 @9000", "192.0.2.1:4000 1 @9000"), "+-+");
  assert.equal(taken({}, "192.0.2.1:4000 1 @0", "192.0.2.1:5000 2 @9000", "192.0.2.1:5000 1 @9001"), "+-+");
  // Not while the one that is heard goes on.
  assert.equal(taken({}, "192.0.2.1:4000 1 @0", "192.0.2.1:5000 1 @20", "192.0.2.1:4000 1 @40"), "+-+");
});

test("where the description names source numbers no other is followed", () => {
  assert.equal(taken({ ssrcs: [7] }, "192.0.2.1:5000 1 @0", "192.0.2.1:5000 7 @20"), "-+");
});

test("a packet that has proved itself is followed wherever it comes from", () => {
  assert.equal(taken({}, "203.0.113.9:1 1 @0!", "203.0.113.10:1 2 @20!"), "++");
});

test("toward an address that has not sent us any a burst leaves, and all once it has", () => {
  const history = rtpHistory();
  const source = rtpSource({ ...REMOTE, reach: "burst" }, history);
  assert.equal(leaving(source, 500), 100);
  // Moved to others by one description after another: the burst is the call's.
  assert.equal(leaving(rtpSource({ ...REMOTE, address: "203.0.113.1", reach: "burst" }, history), 500), 0);
  source.accepts({ address: GATEWAY, port: 4_000, ssrc: 1, isAuthentic: false, nowMs: 0 });
  assert.equal(leaving(source, 500), 500);
  assert.equal(leaving(rtpSource({ ...REMOTE, port: 4_002, reach: "burst" }, history), 500), 500, "it has sent");
});

test("nothing leaves before the INVITE is acknowledged, and all where the address is known", () => {
  const source = rtpSource({ ...REMOTE, reach: "heard" }, rtpHistory());
  assert.equal(leaving(source, 500), 0);
  source.widen("burst");
  assert.equal(leaving(source, 500), 100);
  assert.equal(leaving(rtpSource({ ...REMOTE, reach: "free" }, rtpHistory()), 500), 500);
});
