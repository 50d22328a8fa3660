import { answerChallenge, bestChallenge, type Challenge } from "#adapters/sip-messages/digest.ts";
import { type Header, header, type SipResponse } from "#adapters/sip-messages/message.ts";
import { type Random, token } from "./clock.ts";
import type { Trunk } from "./trunk.ts";

/** Realms on the way of one trunk's calls: its proxy's, its server's. */
const MAX_REALMS = 8;

export type Authorizer = {
  /** What is known to be asked for, answered before it is: saves the second half of all requests. */
  headersFor(method: string, uri: string): Header[];
  /** Takes in a 401 or 407; false when there is no point in another try: no credentials, or `sent` had them and they were refused. */
  learn(response: SipResponse, sent: readonly Header[]): boolean;
};

export function authorizer(trunk: Trunk, random: Random): Authorizer {
  const known = new Map<
    string,
    { name: "authorization" | "proxy-authorization"; challenge: Challenge; count: number }
  >();

  return {
    headersFor(method, uri) {
      const { username, password } = trunk;
      if (username === undefined || password === undefined) return [];
      return [...known.values()].map((entry): Header => {
        entry.count++;
        return [
          entry.name,
          answerChallenge(entry.challenge, { username, password }, { method, uri }, entry.count, token(random, 8)),
        ];
      });
    },
    learn(response, sent) {
      if (trunk.username === undefined || trunk.password === undefined) return false;
      const isProxy = response.status === 407;
      const asks = isProxy ? "proxy-authenticate" : "www-authenticate";
      const name = isProxy ? "proxy-authorization" : "authorization";
      const values = response.headers.filter((header) => header[0] === asks).map(([, value]) => value);
      const challenge = bestChallenge(values);
      if (challenge === undefined || (trunk.realm !== undefined && challenge.realm !== trunk.realm)) return false;
      const before = header({ headers: sent }, name);
      const key = `${name} ${challenge.realm}`;
      const isRefused = !challenge.isStale && (before?.includes(`realm="${challenge.realm}"`) ?? false);
      // A nonce that we took from a cache may have run out without the word for it: only a fresh one's refusal is final.
      if (isRefused && (known.get(key)?.count ?? 0) <= 1) {
        known.delete(key);
        return false;
      }
      if (known.size < MAX_REALMS || known.has(key)) known.set(key, { name, challenge, count: 0 });
      return true;
    },
  };
}
