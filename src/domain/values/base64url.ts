/** Characters of one byte each, as RFC 4648, 5 writes them into an address: without padding. */
export const toBase64url = (bytes: string): string =>
  btoa(bytes)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");

/** What `toBase64url` was given; undefined for what it has not written. */
export function fromBase64url(text: string): string | undefined {
  // A base64 text never has one character left over; atob would throw.
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined;
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}
