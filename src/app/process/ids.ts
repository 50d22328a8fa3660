import { randomFillSync } from "node:crypto";
import type { Uuid } from "#domain/values/id.ts";

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** Random bytes are drawn for this many ids at once: a draw costs more than the id. */
const POOL_IDS = 512;
const BYTES_AN_ID = 8;

/**
 * Makes UUIDv7s (RFC 9562) that only grow within a process: the 12 bits after the time count ids of one millisecond,
 * and a millisecond that runs out borrows from the next. Some 5 million a second.
 */
export function uuidSource(now: () => number = Date.now): () => Uuid {
  const pool = new Uint8Array(POOL_IDS * BYTES_AN_ID);
  let at = pool.length;
  let ms = 0;
  let count = 0;
  return () => {
    const current = now();
    if (current > ms) {
      ms = current;
      count = 0;
    } else if (++count > 0xfff) {
      ms++;
      count = 0;
    }
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const time = ms.toString(16).padStart(12, "0");
    const head = `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-`;
    const variant = HEX[(pool[at]! & 0x3f) | 0x80]!;
    const tail =
      HEX[pool[at + 2]!]! +
      HEX[pool[at + 3]!] +
      HEX[pool[at + 4]!] +
      HEX[pool[at + 5]!] +
      HEX[pool[at + 6]!] +
      HEX[pool[at + 7]!];
    const id = `${head}${variant}${HEX[pool[at + 1]!]}-${tail}`;
    at += BYTES_AN_ID;
    return id;
  };
}
