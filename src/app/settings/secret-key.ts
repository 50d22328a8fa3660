import { createHmac, createSecretKey, randomBytes, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";

/**
 * The root of all keyed hashes: the setting, or a key made once into the data directory, readable by its owner only.
 * Two processes that start at once end up with the same key.
 */
export function secretKey(config: Config): string {
  if (config.secretKey !== undefined) return config.secretKey;
  const file = join(config.dataDir, "secret-key");
  if (!existsSync(file)) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
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
