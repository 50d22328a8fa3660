import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sealer } from "#operations/numbers/open-carriers.ts";
import type { Config } from "./config.ts";

/**
 * The root of all keyed hashes: the setting, or a key made once into the data directory, readable by its owner only.
 * Two processes that start at once end up with the same key.
 */
export function secretKey(config: Config): string {
  if (config.secretKey !== undefined) return config.secretKey;
  const file = join(config.dataDir, "secret-key");
  if (!existsSync(file)) {
    // The user that runs the database must be able to traverse this folder.
    mkdirSync(config.dataDir, { recursive: true, mode: 0o711 });
    // Containers that share a folder may have the same process id.
    const mine = `${file}.${randomUUID()}`;
    try {
      writeFileSync(mine, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
      linkSync(mine, file);
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    } finally {
      rmSync(mine, { force: true });
    }
  }
  return readFileSync(file, "utf8").trim();
}

/** A value that identifies a secret key without revealing it. */
export const fingerprint = (config: Config): string =>
  digester(secretKey(config), "backup")("fingerprint").toString("hex").slice(0, 16);

/**
 * HMAC-SHA256 under a key of its own, derived from the root for this one use. Each request has its API key digested: with a key object that
 * takes 2 microseconds, with the bytes of the key 12, since Node makes an object of them each time.
 */
export function digester(root: string, use: string): (text: string) => Buffer {
  const key = createSecretKey(createHmac("sha256", root).update(use).digest());
  return (text) => createHmac("sha256", key).update(text).digest();
}

/** Of AES-GCM: a nonce of 12 bytes needs no hashing, and a tag of 16 is a whole one. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key of its own, derived from the root for this one use, with a random nonce. The key's id is in front, so that what was sealed
 * under an older root is known as such.
 */
export function sealer(root: string, use: string): Sealer {
  const bytes = createHmac("sha256", root).update(`seal ${use}`).digest();
  const key = createSecretKey(bytes);
  const keyId = createHmac("sha256", bytes).update("key id").digest("hex").slice(0, 8);
  return {
    seal(text, under) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(under));
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${keyId}.${sealed.toString("base64url")}`;
    },
    open(sealed, under) {
      const [id, text = ""] = sealed.split(".");
      if (id !== keyId) throw new Error(`this was sealed under the key ${id}, and the secret key gives ${keyId}`);
      const all = Buffer.from(text, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, all.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(under)).setAuthTag(all.subarray(-TAG_BYTES));
      return decipher.update(all.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    },
  };
}
