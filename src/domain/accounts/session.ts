/** How long a session lasts that nobody uses, and any session: settings of the service (OWASP ASVS 5.0, 7.3). */
export type SessionTimes = { idleMs: number; longestMs: number };

/** When a session that begins now ends at the latest. */
export const lastEnd = (now: Date, { longestMs }: SessionTimes): Date => new Date(now.getTime() + longestMs);

/** A session not seen since then is over. */
export const idleSince = (now: Date, { idleMs }: SessionTimes): Date => new Date(now.getTime() - idleMs);

/** When a session ends unless it is used again after now. */
export const nextEnd = (now: Date, last: Date, { idleMs }: SessionTimes): Date =>
  new Date(Math.min(now.getTime() + idleMs, last.getTime()));

/** How long the link of an invitation is good for. */
const INVITED_MS = 72 * 3_600_000;
export const invitedUntil = (now: Date): Date => new Date(now.getTime() + INVITED_MS);

/** How long the setup link of a start is good for. */
const SETUP_MS = 24 * 3_600_000;
const SETUP_TOKEN = /^(\d{13})_[\w-]{43}$/;

/** The token of a setup link: when it ends, in milliseconds, and the signature of that. */
export function setupToken(now: Date, sign: (until: string) => string): string {
  const until = String(now.getTime() + SETUP_MS);
  return `${until}_${sign(until)}`;
}

/** When a token says that it ends; undefined when it is none of ours, or its time is over. */
export function setupUntil(token: string, now: Date): string | undefined {
  const until = SETUP_TOKEN.exec(token)?.[1];
  return until !== undefined && Number(until) > now.getTime() ? until : undefined;
}

// What is hashed of a secret says what the secret is for: none can stand for another.
export const sessionText = (token: string): string => `session ${token}`;
export const csrfText = (token: string): string => `csrf ${token}`;
export const invitationText = (token: string): string => `invitation ${token}`;
export const deviceText = (id: string, email: string): string => `device ${id} ${email}`;
export const setupText = (salt: string, until: string): string => `console setup ${salt} ${until}`;

/** Whether it may have been a session's cookie once. With 32 bytes of chance it is no guess: it is of a session that is over. */
export const isSessionToken = (token: string): boolean => /^[\w-]{43}$/.test(token);
