import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SealedPlace, SealingKeys } from "#store/system/sealing.ts";
import type { Config } from "./config.ts";
import { secretKey } from "./secret-key.ts";

/** Of AES-GCM: a nonce of 12 bytes needs no hashing, and a tag of 16 is a whole one. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Key = { id: string; key: KeyObject; under(place: SealedPlace): string };

const placeText = ({ table, tenantId, row, column }: SealedPlace): string => [table, tenantId, row, column].join("|");

/** What the first releases sealed carriers' credentials under: the table was not named, nor more of the column than its field. */
const formerPlaceText = ({ tenantId, row, column }: SealedPlace): string =>
  [tenantId, row, column.slice(column.indexOf(".") + 1)].join("|");

function keyOf(root: string, use: string, under: Key["under"]): Key {
  const bytes = createHmac("sha256", root).update(`seal ${use}`).digest();
  const id = createHmac("sha256", bytes).update("key id").digest("hex").slice(0, 8);
  return { id, key: createSecretKey(bytes), under };
}

function sealUnder({ id, key }: Key, text: string, under: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(under));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${id}.${sealed.toString("base64url")}`;
}

function openUnder({ key }: Key, sealed: string, under: string): string {
  const all = Buffer.from(sealed.slice(sealed.indexOf(".") + 1), "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, all.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(under)).setAuthTag(all.subarray(-TAG_BYTES));
  return decipher.update(all.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/** What an Ed25519 key of 32 bytes begins with in PKCS 8 (RFC 8410). */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

const signerOf = ({ key }: Key): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, createHmac("sha256", key).update("evidence signature").digest()]),
    format: "der",
    type: "pkcs8",
  });

/** In the data directory: keys that `parley secret rotate` has made, one a line, the newest last. */
export const sealingKeysFile = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, "sealing-keys");

const linesOf = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];

/**
 * The keys of this process: one that is derived from the secret key, and those of the setting, or of the data directory's file. The file is read
 * again when a key is not known, and whenever all are asked for: another process may have added one.
 */
export function sealingKeys(config: Pick<Config, "dataDir" | "secretKey" | "sealingKeys">): SealingKeys {
  const root = secretKey(config as Config);
  const derived = keyOf(root, "secrets", placeText);
  const former = keyOf(root, "carrier-credentials", formerPlaceText);
  const read = (): Key[] => [
    derived,
    ...(config.sealingKeys ?? linesOf(sealingKeysFile(config))).map((text) => keyOf(text, "secrets", placeText)),
  ];
  let keys = read();
  const find = (id: string): Key => {
    const known = () => [former, ...keys].find((key) => key.id === id);
    let found = known();
    if (!found) {
      keys = read();
      found = known();
    }
    if (found) return found;
    throw new Error(
      `this was sealed under the key ${id}, which this process does not have: PARLEY_SEALING_KEYS, or sealing-keys of the data directory, has to hold it`,
    );
  };
  return {
    first: derived.id,
    ids() {
      keys = read();
      return keys.map(({ id }) => id);
    },
    seal: (keyId, text, place) => {
      const key = find(keyId);
      return sealUnder(key, text, key.under(place));
    },
    open: (sealed, place) => {
      const key = find(sealed.split(".", 1)[0]!);
      return openUnder(key, sealed, key.under(place));
    },
    signer: (keyId) => signerOf(find(keyId)),
  };
}

/** For what is read again within minutes and stands in no database: such as tickets of streams. */
export function sealer(root: string, use: string) {
  const key = keyOf(root, use, placeText);
  return {
    seal: (text: string, under: string): string => sealUnder(key, text, under),
    open(sealed: string, under: string): string {
      const [id] = sealed.split(".", 1);
      if (id !== key.id) throw new Error(`this was sealed under the key ${id}, and the secret key gives ${key.id}`);
      return openUnder(key, sealed, under);
    },
  };
}
