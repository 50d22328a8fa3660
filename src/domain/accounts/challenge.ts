/** What a passkey's signature, or another provider's sign-in, is asked for. An answer to one counts for no other. */
export type ChallengePurpose = "sign-in" | "sign-on" | "proof" | "enrolment";

/** As long as browsers wait for the person, and a little. */
const CHALLENGE_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const SIGNED_BYTES = NONCE_BYTES + TIME_BYTES;

/** A challenge that this server can recognise without having kept it: random bytes, when it is over, and a keyed hash of both with whose it is. */
export type Challenges = { digest(text: string): Buffer };

const signature = ({ digest }: Challenges, purpose: ChallengePurpose, whose: string, signed: Buffer): Buffer =>
  digest(`challenge ${purpose} ${whose} ${signed.toString("base64url")}`);

/** `whose` binds it to one session; empty where nobody is known yet. `nonce` has 16 random bytes. */
export function newChallenge(
  keys: Challenges,
  { purpose, whose }: { purpose: ChallengePurpose; whose: string },
  { nonce, now, lastsMs = CHALLENGE_MS }: { nonce: Buffer; now: Date; lastsMs?: number },
): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  nonce.copy(signed, 0, 0, NONCE_BYTES);
  signed.writeUIntBE(now.getTime() + lastsMs, NONCE_BYTES, TIME_BYTES);
  return Buffer.concat([signed, signature(keys, purpose, whose, signed)]).toString("base64url");
}

/** Until when a challenge counts that was made for this; undefined for one that was not, or is over. */
export function challengeEnd(
  keys: Challenges,
  { purpose, whose }: { purpose: ChallengePurpose; whose: string },
  challenge: string,
  now: Date,
): Date | undefined {
  const all = Buffer.from(challenge, "base64url");
  const signed = all.subarray(0, SIGNED_BYTES);
  if (signed.length < SIGNED_BYTES || all.toString("base64url") !== challenge) return undefined;
  // Not secret from who has it, and compared whole: no need of constant time beyond that of `equals` over hashes of 32 bytes.
  if (!signature(keys, purpose, whose, signed).equals(all.subarray(SIGNED_BYTES))) return undefined;
  const end = new Date(signed.readUIntBE(NONCE_BYTES, TIME_BYTES));
  return end > now ? end : undefined;
}
