import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import smpp from "smpp";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { COMMAND_NAMES, COMMANDS, type CommandName, fieldsOf, type Pdu } from "./commands.ts";
import { decodePdu, type Malformed } from "./decode.ts";
import { encodePdu, type Outgoing } from "./encode.ts";
import { MAX_PDU_BYTES, pduFramer } from "./framer.ts";
import { KNOWN_CODES, meaningOf, STATUS } from "./status.ts";
import { TLV } from "./tlvs.ts";

const printable = (most: number) =>
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: most });
const octets = (most: number) => fc.uint8Array({ maxLength: most }).map((value) => Buffer.from(value));
const sequence = fc.integer({ min: 1, max: 0x7fffffff });

/** Times have a form of their own in the library, which it reads and writes as dates. */
const TIMES = ["schedule_delivery_time", "validity_period", "final_date"];

const valuesOf = (command: CommandName) =>
  fc.record(
    Object.fromEntries(
      fieldsOf(command).map(([name, field]) => [
        name,
        TIMES.includes(name)
          ? fc.constant("")
          : field.type === "octet"
            ? fc.nat(255)
            : field.type === "octets"
              ? octets(254)
              : printable(field.most - 1),
      ]),
    ),
  );

/** Numbers, strings and octets, as the library knows them by name. */
const someTlvs = fc.record(
  {
    user_message_reference: fc.nat(0xffff),
    sar_msg_ref_num: fc.nat(0xffff),
    sar_total_segments: fc.nat(255),
    sar_segment_seqnum: fc.nat(255),
    message_state: fc.nat(255),
    receipted_message_id: printable(64),
    network_error_code: octets(3),
  },
  { requiredKeys: [] },
);

function tlvBytes(name: string, value: unknown): Buffer {
  if (typeof value === "string") return Buffer.from(`${value}\0`);
  if (typeof value !== "number") return value as Buffer;
  return ["user_message_reference", "sar_msg_ref_num"].includes(name)
    ? Buffer.from([value >> 8, value & 0xff])
    : Buffer.from([value]);
}

const anyPdu = fc.constantFrom(...COMMAND_NAMES).chain((command) =>
  fc.record({
    command: fc.constant(command),
    sequence,
    status: command.endsWith("_resp") ? fc.constantFrom(0, ...KNOWN_CODES, 0x400) : fc.constant(0),
    fields: valuesOf(command),
    // The library has one name for a field and a TLV.
    tlvs: someTlvs.map((tlvs) =>
      Object.fromEntries(Object.entries(tlvs).filter(([name]) => !(name in COMMANDS[command].fields))),
    ),
  }),
);
type AnyPdu = typeof anyPdu extends fc.Arbitrary<infer T> ? T : never;

const ours = ({ command, sequence, status, fields, tlvs }: AnyPdu): Buffer =>
  encodePdu({
    command,
    sequence,
    status,
    fields,
    tlvs: Object.entries(status ? {} : tlvs).map(([name, value]) => ({
      tag: TLV[name as keyof typeof TLV],
      value: tlvBytes(name, value),
    })),
  } as Outgoing<CommandName>);

/** `_resp` of a refusal has no body: fields are empty, and so are TLVs where the library leaves them out. */
function emptied(command: CommandName): Record<string, unknown> {
  return Object.fromEntries(fieldsOf(command).map(([name, { type }]) => [name, type === "octet" ? 0 : ""]));
}

const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("hex") : typeof value === "object" ? "" : value;

function decoded(bytes: Buffer): Pdu {
  const pdu = decodePdu(bytes);
  if (pdu.command === "malformed") throw new Error(pdu.why);
  return pdu;
}

test("what we write is what npm smpp reads, of every command, with TLVs", () => {
  fc.assert(
    fc.property(anyPdu, (pdu) => {
      const { command, sequence, status, fields, tlvs } = pdu;
      const bytes = ours(pdu);
      // Its text filter would make text of octets, by a coding that is drawn at random.
      const theirs = smpp.PDU.fromBuffer(withoutText(command, bytes));
      assert.ok(theirs);
      assert.equal(theirs.command, command);
      assert.equal(theirs.command_status, status);
      assert.equal(theirs.sequence_number, sequence);
      if (status) return;
      for (const [name, value] of Object.entries(fields)) {
        if (name === "short_message" || name === "esm_class" || TIMES.includes(name)) continue;
        assert.equal(plain(theirs[name]), plain(name === "data_coding" ? theirs[name] : value), name);
      }
      for (const [name, value] of Object.entries(tlvs)) assert.deepEqual(plain(theirs[name]), plain(value), name);
    }),
    { numRuns: 2_000 },
  );
});

/** The same PDU with the UDH bit off, so that the library takes no header out of octets that have none. */
function withoutText(command: CommandName, bytes: Buffer): Buffer {
  if (!("esm_class" in COMMANDS[command].fields)) return bytes;
  const pdu = decoded(bytes) as Extract<Pdu, { command: "submit_sm" }>;
  return encodePdu({ ...pdu, fields: { ...pdu.fields, esm_class: 0, data_coding: 4 } });
}

test("what npm smpp writes is what we read, of every command, with TLVs", () => {
  fc.assert(
    fc.property(anyPdu, ({ command, sequence, status, fields, tlvs }) => {
      const theirs = new smpp.PDU(command, {
        ...fields,
        ...tlvs,
        command_status: status,
        sequence_number: sequence,
      });
      const expected = status ? emptied(command) : fields;
      const pdu = decoded(theirs.toBuffer());
      assert.deepEqual([pdu.command, pdu.status, pdu.sequence], [command, status, sequence]);
      for (const [name, value] of Object.entries(pdu.fields)) {
        assert.equal(plain(value), plain((expected as Record<string, unknown>)[name]), name);
      }
      const named = new Map(pdu.tlvs.map(({ tag, value }) => [tag, Buffer.from(value).toString("hex")]));
      for (const [name, value] of Object.entries(status ? {} : tlvs)) {
        assert.equal(named.get(TLV[name as keyof typeof TLV]), tlvBytes(name, value).toString("hex"), name);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a PDU with any of its octets changed, or with its end cut off, is read or refused, never an exception", () => {
  fc.assert(
    fc.property(
      anyPdu,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      fc.nat(),
      (pdu, changes, cutAt) => {
        const bytes = ours(pdu);
        for (const [at, octet] of changes) bytes[16 + (at % Math.max(1, bytes.length - 16))] = octet;
        const cut = bytes.subarray(0, Math.max(16, cutAt % (bytes.length + 1)));
        const read = decodePdu(cut);
        assert.ok(read.command !== "malformed" || read.status !== STATUS.ok);
      },
    ),
    { numRuns: 5_000 },
  );
});

const submit = (fields: Record<string, unknown> = {}): Buffer =>
  encodePdu({ command: "submit_sm", sequence: 7, fields: { destination_addr: "13105550100", ...fields } });
const refusalOf = (bytes: Buffer) => decodePdu(bytes) as Malformed;

test("lengths that lie are refused by name and code, with the sequence number to answer", () => {
  const text = submit({ short_message: Buffer.from("hello") });
  text[text.length - 6] = 200;
  assert.deepEqual(refusalOf(text), {
    command: "malformed",
    id: 4,
    sequence: 7,
    status: STATUS.invalidCommandLength,
    why: "short_message is said to be longer than the PDU",
  });
  const endless = submit().fill(0x41, 16);
  assert.match(refusalOf(endless).why, /service_type does not end/);
  assert.match(refusalOf(submit().subarray(0, 20)).why, /submit_sm ends before/);
  const tlv = Buffer.concat([submit(), Buffer.from([0x04, 0x24, 0xff, 0xff, 1])]);
  assert.equal(refusalOf(tlv).status, STATUS.invalidTlvStream);
  assert.match(refusalOf(Buffer.concat([submit(), Buffer.from([4, 0x24, 0])])).why, /before its length/);
  const unknown = submit();
  unknown.writeUInt32BE(0x99, 4);
  assert.deepEqual([refusalOf(unknown).status, refusalOf(unknown).sequence], [STATUS.invalidCommandId, 7]);
});

test("a response may leave its body out, accepted or refused", () => {
  const bare = encodePdu({ command: "submit_sm_resp", sequence: 3 }).subarray(0, 16);
  bare.writeUInt32BE(16, 0);
  assert.deepEqual(decodePdu(bare), {
    command: "submit_sm_resp",
    status: 0,
    sequence: 3,
    fields: { message_id: "" },
    tlvs: [],
  });
});

test("what is too long for its field is not written", () => {
  assert.throws(() => submit({ source_addr: "1".repeat(21) }), RangeError);
  assert.throws(() => submit({ service_type: "a\0b" }), RangeError);
  assert.throws(() => submit({ short_message: Buffer.alloc(255) }), RangeError);
});

test("a stream is cut into the same PDUs in whatever pieces it comes", () => {
  fc.assert(
    fc.property(
      fc.array(anyPdu, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 })),
      (pdus, sizes) => {
        const sent = pdus.map(ours);
        const stream = Buffer.concat(sent);
        const got: string[] = [];
        const framer = pduFramer((bytes) => got.push(bytes.toString("hex")));
        let at = 0;
        for (let i = 0; at < stream.length; i++) {
          const size = sizes.length === 0 ? stream.length : sizes[i % sizes.length]!;
          assert.ok(framer.push(stream.subarray(at, at + size)));
          at += size;
        }
        assert.deepEqual(
          got,
          sent.map((bytes) => bytes.toString("hex")),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test("a stream whose next length is shorter than a header, or longer than any PDU, is given up", () => {
  for (const length of [0, 4, 15, MAX_PDU_BYTES + 1, 0xffffffff]) {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(length, 0);
    assert.equal(pduFramer(() => assert.fail("no PDU")).push(bytes), false);
    const slow = pduFramer(() => assert.fail("no PDU"));
    assert.deepEqual(
      [...bytes.subarray(0, 4)].map((octet) => slow.push(Buffer.from([octet]))),
      [true, true, true, false],
    );
  }
});

test("reading takes time in proportion to the octets: TLVs of no length, one octet at a time", () => {
  const framerMs = (count: number) => {
    const pdu = Buffer.concat([submit(), Buffer.alloc(4 * 3_500)]);
    pdu.writeUInt32BE(pdu.length, 0);
    const took = processorMs(() => {
      for (let i = 0; i < count; i++) {
        const framer = pduFramer((bytes) => assert.notEqual(decodePdu(bytes).command, "malformed"));
        for (let at = 0; at < pdu.length; at++) framer.push(pdu.subarray(at, at + 1));
      }
    });
    return took;
  };
  framerMs(5);
  assert.ok(framerMs(40) < 40 * Math.max(4, framerMs(10)), "no more than in proportion");
});

test("every code of the specification has words, and an unknown one keeps its number", () => {
  for (const [name, code] of Object.entries(smpp.errors)) {
    if (code === 0 || /BCAST|SUBUNIT/.test(name)) continue;
    assert.doesNotMatch(meaningOf(code).words, /0x/, name);
  }
  assert.deepEqual(meaningOf(0x412), { words: "refused by the carrier with 0x00000412", class: "refused" });
  assert.deepEqual(
    [0x58, 0x14, 0x0a, 0x0b, 0x0d, 0x0e, 0x45].map((code) => meaningOf(code).class),
    ["later", "later", "sender", "number", "later", "account", "refused"],
  );
});
