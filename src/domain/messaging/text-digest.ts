import { createHash } from "node:crypto";

/** Characters of a digest: 72 bits, among the few texts of one phone. */
const LENGTH = 12;

/**
 * Distinguishes a text from others to the same phone without its words: base64url of a SHA-256 over the words and how many pictures it took along. The same for
 * the same text in every version, since journals keep it.
 */
export const textDigest = (text: string, pictures: number): string =>
  createHash("sha256").update(`${pictures} ${text}`).digest("base64url").slice(0, LENGTH);
