import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import smpp from "smpp";
import { countSegments } from "#domain/messaging/segments.ts";
import { decodeText, encodeText } from "./alphabets.ts";
import type { PduOf, Tlv } from "./commands.ts";
import { decodePdu } from "./decode.ts";
import { encodePdu } from "./encode.ts";
import { partsOf, readHeader } from "./parts.ts";
import { idOfAnswer, readReceipt } from "./receipt.ts";
import { numberIn, octetTlv, stringTlv, TLV, tlvOf } from "./tlvs.ts";

const GSM = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡AZÄÖÑÜ§¿azäöñüà^{}\\[~]|€";
const gsmText = fc.array(fc.constantFrom(...GSM), { maxLength: 400 }).map((chars) => chars.join(""));
const anyText = fc
  .string({ unit: "grapheme", maxLength: 300 })
  .filter((text) => text.isWellFormed() && !text.includes("\0"));

test("GSM 03.38 is what npm smpp takes it for, and comes back as it was", () => {
  fc.assert(
    fc.property(gsmText, (text) => {
      const octets = Buffer.concat(encodeText(text, "gsm")!);
      assert.equal(octets.toString("hex"), smpp.gsmCoder.encode(text).toString("hex"));
      assert.equal(decodeText(octets, 0, "gsm"), text);
    }),
  );
});

test("a long text's parts, put together, are the text, in every way that parts are joined and every alphabet", () => {
  const options = fc.record({
    alphabet: fc.constantFrom("gsm" as const, "latin1" as const, "ucs2" as const),
    long: fc.constantFrom("udh" as const, "udh16" as const, "sar" as const, "payload" as const),
    reference: fc.nat(0xffff),
  });
  fc.assert(
    fc.property(fc.oneof(anyText, gsmText), options, (text, how) => {
      const parts = partsOf(text, how);
      const joined = parts.map((part, i) => {
        const { octets, place } =
          part.esmClass === 0x40 ? readHeader(part.octets)! : { octets: part.octets, place: undefined };
        assert.ok(part.octets.length <= 160);
        const total = place?.of ?? numberIn(part, TLV.sar_total_segments) ?? 1;
        const number = place?.number ?? numberIn(part, TLV.sar_segment_seqnum) ?? 1;
        assert.deepEqual([total, number], [parts.length, i + 1]);
        if (place) assert.equal(place.reference, how.long === "udh16" ? how.reference : how.reference & 0xff);
        // Each by itself: no character is cut in two.
        return decodeText(tlvOf(part, TLV.message_payload) ?? octets, part.dataCoding, "gsm");
      });
      assert.equal(joined.join(""), text);
    }),
    { numRuns: 2_000 },
  );
});

test("a text goes out in as many parts as were counted and paid for", () => {
  // Joined emoji are kept together by the count, and not by a gateway.
  const texts = [
    gsmText,
    fc.array(fc.constantFrom("a", "ж", "😀", "中"), { maxLength: 300 }).map((chars) => chars.join("")),
  ];
  fc.assert(
    fc.property(fc.oneof(...texts), fc.constantFrom("udh" as const, "sar" as const), (text, long) => {
      assert.equal(partsOf(text, { alphabet: "gsm", long, reference: 1 }).length, countSegments(text).segments);
    }),
    { numRuns: 2_000 },
  );
});

test("octets of any kind are text or not, never an exception", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(255), (octets, coding) => {
      const text = decodeText(octets, coding, "gsm");
      assert.ok(text === undefined || (text.isWellFormed() && !text.includes("\0")));
      readHeader(octets);
    }),
    { numRuns: 5_000 },
  );
  assert.equal(decodeText(Buffer.from([0x41, 0x1b]), 0, "gsm"), "A");
  assert.equal(decodeText(Buffer.from([0x1b, 0x41]), 0, "gsm"), "A");
  assert.equal(decodeText(Buffer.from([0xd8, 0x3d, 0x00]), 8, "gsm"), "\ufffd");
  assert.equal(decodeText(Buffer.from([0xe9]), 0, "latin1"), "é");
  assert.equal(decodeText(Buffer.from([1, 2]), 4, "gsm"), undefined);
  assert.equal(readHeader(Buffer.from([200, 0, 3])), undefined);
  assert.equal(readHeader(Buffer.from([3, 0, 9, 1])), undefined);
});

function receipt(text: string, tlvs: readonly Tlv[] = []): PduOf<"deliver_sm"> {
  const fields = { esm_class: 4, short_message: Buffer.from(text) };
  return decodePdu(encodePdu({ command: "deliver_sm", sequence: 1, fields, tlvs })) as PduOf<"deliver_sm">;
}
const read = (text: string, tlvs: readonly Tlv[] = [], ids: "hex" | "decimal" | "as_sent" = "as_sent") => {
  const pdu = receipt(text, tlvs);
  return readReceipt(pdu, pdu.fields.short_message, ids);
};

const TEXT =
  "id:00ab12 sub:001 dlvrd:001 submit date:2606011200 done date:2606011201 stat:DELIVRD err:000 text:id:9 stat:X";

test("a receipt is read from its text and from its TLVs, which count for more", () => {
  assert.deepEqual(read(TEXT), {
    messageId: "00ab12",
    status: "delivered",
    errorCode: undefined,
    reference: undefined,
  });
  const tlvs = [stringTlv(TLV.receipted_message_id, "77"), octetTlv(TLV.message_state, 5)];
  assert.deepEqual(read(TEXT, tlvs), {
    messageId: "77",
    status: "undelivered",
    errorCode: "UNDELIV",
    reference: undefined,
  });
  assert.deepEqual(read("", tlvs)?.messageId, "77");
  assert.equal(read("ID:5 Stat:REJECTD Err:012 Text:")?.errorCode, "REJECTD 012");
  assert.equal(read("id:5 stat:ENROUTE err:000")?.status, "sent");
  assert.equal(
    read("id:5 stat:EXPIRED", [{ tag: TLV.network_error_code, value: Buffer.from([3, 0, 17]) }])?.errorCode,
    "EXPIRED 17",
  );
});

test("a receipt brings nothing that a database cannot keep, whatever ends its fields", () => {
  const ended = read("id:5 stat:UNDELIV err:012\0");
  assert.deepEqual([ended?.messageId, ended?.errorCode], ["5", "UNDELIV 012"]);
  assert.equal(read("id:5\r\nstat:DELIVRD\r\n")?.messageId, "5");
  assert.equal(read("stat:DELIVRD", [stringTlv(TLV.receipted_message_id, "9".repeat(3_000))]), undefined);
});

test("what names no text or no state is no receipt", () => {
  for (const text of [
    "",
    "hello",
    "stat:DELIVRD",
    "id:5",
    "id: stat:DELIVRD",
    "id:5 stat:WHATEVER",
    "text: id:5 stat:DELIVRD",
  ]) {
    assert.equal(read(text), undefined, text);
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const octets = Buffer.from(text, "latin1").subarray(0, 254);
      readReceipt(receipt(""), octets, "hex");
    }),
  );
});

test("ids that answer and receipt write differently are the same id", () => {
  assert.equal(read("id:00ff stat:DELIVRD", [], "hex")?.messageId, idOfAnswer("255", "hex"));
  assert.equal(read("id:0000000255 stat:DELIVRD", [], "decimal")?.messageId, idOfAnswer("FF", "decimal"));
  assert.equal(read("id:AbC stat:DELIVRD")?.messageId, idOfAnswer("AbC", "as_sent"));
  assert.equal(read("id:not-hex stat:DELIVRD", [], "hex")?.messageId, "not-hex");
});
