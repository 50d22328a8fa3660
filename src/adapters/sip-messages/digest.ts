import { createHash, timingSafeEqual } from "node:crypto";
import { parseParams, quote, splitOutside } from "./syntax.ts";

/** SHA-256 (RFC 8760) is taken before MD5 (RFC 2617), which half of the carriers have alone. */
const ALGORITHMS: readonly { name: string; hash: "sha256" | "md5" }[] = [
  { name: "SHA-256", hash: "sha256" },
  { name: "MD5", hash: "md5" },
];

export type Challenge = {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: string;
  /** Whether quality of protection "auth" is offered; without it the count has no place. */
  hasQop: boolean;
  /** The credentials were right, the nonce old. */
  isStale: boolean;
};

export type Credentials = { username: string; password: string };

/** The best challenge among these values of WWW-Authenticate or Proxy-Authenticate; undefined when none can be met. */
export function bestChallenge(values: readonly string[]): Challenge | undefined {
  const challenges = values.map(parseChallenge).filter((challenge) => challenge !== undefined);
  for (const { name } of ALGORITHMS) {
    const found = challenges.find((challenge) => challenge.algorithm.toUpperCase() === name);
    if (found) return found;
  }
  return undefined;
}

function parseChallenge(value: string): Challenge | undefined {
  const params = paramsOf(value);
  const [realm, nonce] = [params?.get("realm"), params?.get("nonce")];
  if (params === undefined || realm === undefined || nonce === undefined) return undefined;
  const qop = params.get("qop");
  const offers = qop?.split(",").map((part) => part.trim().toLowerCase());
  if (offers !== undefined && !offers.includes("auth")) return undefined;
  return {
    realm,
    nonce,
    opaque: params.get("opaque"),
    algorithm: params.get("algorithm") ?? "MD5",
    hasQop: offers !== undefined,
    isStale: params.get("stale")?.toLowerCase() === "true",
  };
}

function paramsOf(value: string): Map<string, string> | undefined {
  const [, rest] = /^digest[ \t]+(.+)$/is.exec(value.trim()) ?? [];
  const parts = rest === undefined ? undefined : splitOutside(rest, ",");
  return parts === undefined ? undefined : parseParams(parts.join(";"));
}

/**
 * The answer to a challenge (RFC 2617, 3.2.2), to be written into Authorization or Proxy-Authorization. `count` is how often this nonce
 * has been used, this time included; `cnonce` is of chance.
 */
export function answerChallenge(
  challenge: Challenge,
  credentials: Credentials,
  request: { method: string; uri: string },
  count: number,
  cnonce: string,
): string {
  const nc = count.toString(16).padStart(8, "0");
  const response = responseOf({ ...challenge, ...credentials, ...request, nc, cnonce });
  const fields = [
    `username=${quote(credentials.username)}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(request.uri)}`,
    `response="${response}"`,
    `algorithm=${challenge.algorithm}`,
    ...(challenge.hasQop ? ["qop=auth", `nc=${nc}`, `cnonce="${cnonce}"`] : []),
    ...(challenge.opaque === undefined ? [] : [`opaque=${quote(challenge.opaque)}`]),
  ];
  return `Digest ${fields.join(", ")}`;
}

type Computed = {
  algorithm: string;
  username: string;
  realm: string;
  password: string;
  method: string;
  uri: string;
  nonce: string;
  hasQop: boolean;
  nc: string;
  cnonce: string;
};

function responseOf(digest: Computed): string {
  const hash = ALGORITHMS.find(({ name }) => name === digest.algorithm.toUpperCase())?.hash ?? "md5";
  const h = (text: string) => createHash(hash).update(text, "utf8").digest("hex");
  const [a1, a2] = [h(`${digest.username}:${digest.realm}:${digest.password}`), h(`${digest.method}:${digest.uri}`)];
  return h(
    digest.hasQop ? `${a1}:${digest.nonce}:${digest.nc}:${digest.cnonce}:auth:${a2}` : `${a1}:${digest.nonce}:${a2}`,
  );
}

/** What a peer answered to a challenge of ours. */
export type GivenCredentials = {
  username: string;
  realm: string;
  nonce: string;
  count: number;
  fields: Map<string, string>;
};

export function givenCredentials(value: string): GivenCredentials | undefined {
  const fields = paramsOf(value);
  const [username, realm, nonce] = [fields?.get("username"), fields?.get("realm"), fields?.get("nonce")];
  if (fields === undefined || username === undefined || realm === undefined || nonce === undefined) return undefined;
  return { username, realm, nonce, count: Number.parseInt(fields.get("nc") ?? "", 16) || 0, fields };
}

/** Whether they prove the password, for this request. Only with qop: without it an eavesdropper could send them once more. */
export function provesPassword(given: GivenCredentials, password: string, method: string): boolean {
  const { fields } = given;
  if (fields.get("qop")?.toLowerCase() !== "auth") return false;
  const expected = responseOf({
    algorithm: fields.get("algorithm") ?? "MD5",
    username: given.username,
    realm: given.realm,
    password,
    method,
    uri: fields.get("uri") ?? "",
    nonce: given.nonce,
    hasQop: true,
    nc: fields.get("nc") ?? "",
    cnonce: fields.get("cnonce") ?? "",
  });
  const [a, b] = [Buffer.from(expected), Buffer.from(fields.get("response") ?? "")];
  return a.length === b.length && timingSafeEqual(a, b);
}
