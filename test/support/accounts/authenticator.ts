import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** What a page asks an authenticator for, as far as this one reads it. */
type Options = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } };

/** What an answer may say else than the truth. */
type Lies = { origin?: string; rpId?: string; challenge?: string; count?: number; isUnlocked?: boolean; type?: string };

/** A passkey in software: ES256, without attestation. Its count of signatures rises by one each time. */
export type Authenticator = {
  id: string;
  make(
    options: Options,
    lies?: Lies,
  ): {
    credential: string;
    client_data: string;
    attestation: string;
    transports: string[];
  };
  sign(options: Options, lies?: Lies): Record<string, string>;
};

const ORIGIN = "http://localhost";
/** Flags of authenticator data: there is somebody, who has unlocked it, and a new key follows. */
const [PRESENT, UNLOCKED, NEW_KEY] = [0x01, 0x04, 0x40];

export function anAuthenticator(origin = ORIGIN): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rawId = randomBytes(16);
  const id = rawId.toString("base64url");
  let handle = "";
  let count = 0;
  const clientData = (type: string, { challenge }: Options, lies: Lies): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const dataOf = (rpId: string, more: Buffer, lies: Lies): Buffer => {
    const flags = PRESENT | (lies.isUnlocked === false ? 0 : UNLOCKED) | (more.length > 0 ? NEW_KEY : 0);
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(lies.count ?? count);
    const site = createHash("sha256")
      .update(lies.rpId ?? rpId)
      .digest();
    return Buffer.concat([site, Buffer.from([flags]), counted, more]);
  };
  return {
    id,
    make(options, lies = {}) {
      handle = options.user!.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const key = Buffer.concat([Buffer.alloc(16), length, rawId, coseOf(publicKey)]);
      const authenticatorData = dataOf(options.rp!.id, key, lies);
      const attestation = cbor(
        new Map<string, Cbor>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authenticatorData],
        ]),
      );
      return {
        credential: id,
        client_data: clientData("webauthn.create", options, lies).toString("base64url"),
        attestation: attestation.toString("base64url"),
        transports: ["internal"],
      };
    },
    sign(options, lies = {}) {
      count++;
      const said = clientData("webauthn.get", options, lies);
      const authenticatorData = dataOf(options.rpId!, Buffer.alloc(0), lies);
      const signed = Buffer.concat([authenticatorData, createHash("sha256").update(said).digest()]);
      return {
        credential: id,
        client_data: said.toString("base64url"),
        authenticator_data: authenticatorData.toString("base64url"),
        signature: sign("sha256", signed, privateKey).toString("base64url"),
        user_handle: handle,
      };
    },
  };
}

type Cbor = string | number | Buffer | Map<string | number, Cbor>;

/** The part of CBOR that attestations are made of. */
function cbor(value: Cbor): Buffer {
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...value].flatMap(([key, each]) => [cbor(key), cbor(each)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

function head(major: number, n: number): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n]);
  if (n < 256) return Buffer.from([(major << 5) | 24, n]);
  return Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
}

/** A P-256 key as COSE has it: EC2, ES256, the curve and the point. */
function coseOf(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: "jwk" });
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, "base64url")],
      [-3, Buffer.from(y!, "base64url")],
    ]),
  );
}
