import type { Uuid } from "#domain/values/id.ts";

/** What has room of its own in the log: a flood of one pushes out none of another. */
export type RequestClass = "administration" | "change" | "failed_change" | "read" | "failed_read";

/**
 * The class of a request, by its operation and what came of it. Administration is what an admin changed (keys, users, rules), and what a
 * person changed of his own session or password.
 */
export function classOf(
  { method, scope, caller }: { method: string; scope: string; caller?: "anyone" | "person" | undefined },
  status: number,
): RequestClass {
  const isOfPerson = caller === "person";
  // A rehearsal or a preflight is a POST that changes nothing.
  const isChange = method !== "GET" && (scope !== "read" || isOfPerson);
  if (status >= 400) return isChange ? "failed_change" : "failed_read";
  if (!isChange) return "read";
  return scope === "admin" || isOfPerson ? "administration" : "change";
}

/** A request as it is kept for whoever made it: without its body, and without what is personal in its address. */
export type LoggedRequest = {
  tenantId: Uuid;
  id: Uuid;
  at: Date;
  method: string;
  path: string;
  operation: string;
  class: RequestClass;
  status: number;
  ms: number;
  keyId: Uuid;
  /** Of somebody who is signed in; `keyId` is the session's then. */
  userId: Uuid | null;
  /** Of an error's answer, its first 2 kB. */
  answer: string | null;
};

/** Longer addresses are cut. */
const MAX_PATH = 500;
const MAX_ANSWER = 2_048;

/** Values of these say what was asked for, and of nobody. All others are left out. */
const UNMASKED = new Set([
  "after",
  "agent_id",
  "campaign_id",
  "channel",
  "kinds",
  "limit",
  "list_id",
  "method",
  "operation",
  "organization_id",
  "outcome",
  "sentiment",
  "state",
  "status",
  "time_zone",
]);

/** Ten digits and more in a row, with or without a plus: the last two are left. */
const PHONE = /(?:\+|%2B)?\d{8,13}(?=\d{2}(?!\d))/gi;
const EMAIL = /[^\s"@]{1,64}@[^\s"@]{1,255}/g;
export const maskPhones = (text: string): string => text.replace(PHONE, "***");

/** A request's address as it may be kept: `/v1/sms/threads/***01_spring?limit=10&phone_number=***`. */
export function maskedPath(url: string): string {
  const [path, query] = url.split("?", 2) as [string, string | undefined];
  const parts = query?.split("&").map((part) => {
    const [name, value] = part.split("=", 2) as [string, string | undefined];
    return value === undefined || UNMASKED.has(name) ? part : `${name}=***`;
  });
  return maskPhones(parts ? `${path}?${parts.join("&")}` : path).slice(0, MAX_PATH);
}

/** The start of an error's answer, as it may be kept. */
export const maskedAnswer = (answer: string): string =>
  maskPhones(answer.slice(0, MAX_ANSWER)).replace(EMAIL, "***").replaceAll("\0", "");
