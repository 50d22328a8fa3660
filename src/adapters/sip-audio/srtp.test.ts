import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { deriveKeys, srtpReceiver, srtpSender } from "./srtp.ts";

test("keys are derived as in RFC 3711, B.3", () => {
  const master = Buffer.from("E1F97A0D3E018BE0D64FA32C06DE41390EC675AD498AFEEBB6960B3AABE6", "hex");
  const { cipher, salt, auth } = deriveKeys(master, 0);

  assert.equal(cipher.toString("hex"), "c61e7a93744f39ee10734afe3ff7a087");
  assert.equal(salt.toString("hex"), "30cbbc08863d8c85d49db34a9ae1");
  assert.equal(auth.toString("hex"), "cebe321f6ff7716b6fd4ab49af256a156d38baa4");
});

for (const suite of ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"] as const) {
  test(`${suite} opens what it sealed, over the wrap of the numbers, once, and only unchanged`, () => {
    const master = randomBytes(30);
    const [sender, receiver] = [srtpSender(suite, master), srtpReceiver(suite, master)];
    const sealed = (sequence: number): [Buffer, Buffer] => {
      const packet = Buffer.alloc(182);
      packet[0] = 0x80;
      packet.writeUInt16BE(sequence & 0xffff, 2);
      packet.writeUInt32BE(0xcafebabe, 8);
      randomBytes(160).copy(packet, 12);
      const plain = Buffer.from(packet.subarray(0, 172));
      return [plain, packet.subarray(0, sender.protect(packet, 172))];
    };

    for (let sequence = 65_500; sequence < 65_600; sequence++) {
      const [plain, packet] = sealed(sequence);
      assert.ok(!packet.includes(plain.subarray(12)));
      const [again, broken] = [Buffer.from(packet), Buffer.from(packet)];
      broken[20]! ^= 1;
      assert.equal(receiver.unprotect(broken), undefined);
      assert.deepEqual(receiver.unprotect(packet), plain);
      assert.equal(receiver.unprotect(again), undefined);
    }

    const report = randomBytes(52);
    const out = sender.protectRtcp(report);
    assert.deepEqual(receiver.unprotectRtcp(Buffer.from(out)), report);
    assert.equal(receiver.unprotectRtcp(out), undefined);
  });
}
