/**
 * The Idempotency-Key of each request that nothing is known of yet. What is sent again as it was, by whichever form or button, goes under the key
 * that it went under before: the service then answers what the first has done, and does not do it twice. Anything else gets a key of its own, and so
 * does the same once it has an answer: to text "ok" twice is somebody's right.
 *
 * Kept for as long as the tab is open, as a form's draft is, and no longer than the service keeps the keys.
 */
const ITEM = "parley-unanswered";
const KEPT_MS = 86_400_000;
/** More forms than anybody has lost; the oldest is forgotten. */
const MOST = 100;

type Kept = Record<string, { key: string; at: number }>;

/** What the page has itself, where the browser stores nothing. */
let kept: Kept | undefined;

function read(now: number): Kept {
  if (kept === undefined) {
    try {
      kept = JSON.parse(sessionStorage.getItem(ITEM) ?? "{}") as Kept;
    } catch {
      kept = {};
    }
  }
  return Object.fromEntries(Object.entries(kept).filter(([, { at }]) => now - at < KEPT_MS));
}

function write(all: Kept): void {
  const newest = Object.entries(all).sort(([, a], [, b]) => b.at - a.at);
  kept = Object.fromEntries(newest.slice(0, MOST));
  try {
    sessionStorage.setItem(ITEM, JSON.stringify(kept));
  } catch {
    // Full, or refused: the page remembers it until it is closed.
  }
}

/** The key of what is about to be sent: the one of its last try, if that had no answer. */
export function keyFor(sent: string, now = Date.now()): string {
  const all = read(now);
  const name = fingerprint(sent);
  const { key } = all[name] ?? { key: randomKey() };
  write({ ...all, [name]: { key, at: all[name]?.at ?? now } });
  return key;
}

/** It has its answer: whoever sends the same again means it. */
export function answered(sent: string, now = Date.now()): void {
  const { [fingerprint(sent)]: _, ...others } = read(now);
  write(others);
}

/** 106 bits of a text, by two runs of cyrb53's mixing: `crypto.subtle` is there on https and localhost only. */
function fingerprint(text: string): string {
  return `${mixed(text, 0)}-${mixed(text, 1)}-${text.length}`;
}

function mixed(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    a = Math.imul(a ^ sign, 2654435761);
    b = Math.imul(b ^ sign, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** 128 random bits. `crypto.randomUUID` is there on https and localhost only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
