import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import type { Passwords, Waits } from "#ports/sign-in.ts";
import { fairTurns } from "./turns.ts";

type Cost = { memory: number; passes: number; parallelism: number };

/** OWASP, Password Storage Cheat Sheet: m=19456 (KiB), t=2, p=1. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Each takes a thread of the four that files and names are looked up by too: never more than four at a time, and two leave the others room. */
const AT_ONCE = 2;
/** A second of work on a slow core: who finds no place may as well come again. */
const MAX_WAITING = 32;
/** In which hashes for new passwords wait: whoever sets one has shown a link or a password that is right. */
const SETTING: Waits = { line: "setting a password", isKnown: true };

/** Argon2id through Node. `words` is a list of common passwords, one a line. */
export function argon2Passwords(words: string): Passwords {
  const inTurn = fairTurns(AT_ONCE, MAX_WAITING);
  const derive = (password: string, salt: Buffer, cost: Cost, waits = SETTING): Promise<Buffer> =>
    inTurn(
      waits,
      () =>
        new Promise((resolve, reject) => {
          const parameters = { message: password, nonce: salt, tagLength: HASH_BYTES, ...cost };
          argon2("argon2id", parameters, (error, hash) => (error ? reject(error) : resolve(hash)));
        }),
    );
  // Nothing hashes to it that anybody could find: what an unknown address is compared with, for the time that takes.
  const nobody = phcText(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
  return {
    common: new Set(words.split("\n").filter((word) => word !== "")),
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return phcText(salt, await derive(password, salt, COST));
    },
    async matches(password, kept, waits) {
      const { salt, hash, cost } = readPhc(kept ?? nobody);
      const same = timingSafeEqual(await derive(password, salt, cost, waits), hash);
      return same && kept !== undefined;
    },
  } satisfies Passwords;
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/={1,2}$/, "");

const phcText = (salt: Buffer, hash: Buffer): string =>
  `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(hash)}`;

function readPhc(text: string): { salt: Buffer; hash: Buffer; cost: Cost } {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (!parts) throw new Error("a kept password is not of a form that we write");
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number];
  const [salt, hash] = parts.slice(4).map((part) => Buffer.from(part, "base64")) as [Buffer, Buffer];
  return { salt, hash, cost: { memory, passes, parallelism } };
}
