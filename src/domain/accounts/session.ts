/** OWASP ASVS 5.0, 7.3: a session that nobody uses, and any session at the end of a working day. */
const IDLE_MS = 30 * 60_000;
const LONGEST_MS = 12 * 3_600_000;

/** When a session that begins now ends at the latest. */
export const lastEnd = (now: Date): Date => new Date(now.getTime() + LONGEST_MS);

/** A session not seen since then is over. */
export const idleSince = (now: Date): Date => new Date(now.getTime() - IDLE_MS);

/** When a session ends unless it is used again after now. */
export const nextEnd = (now: Date, last: Date): Date => new Date(Math.min(now.getTime() + IDLE_MS, last.getTime()));

/** How long the link of an invitation is good for. */
const INVITED_MS = 72 * 3_600_000;
export const invitedUntil = (now: Date): Date => new Date(now.getTime() + INVITED_MS);

// What is hashed of a secret says what the secret is for: none can stand for another.
export const sessionText = (token: string): string => `session ${token}`;
export const csrfText = (token: string): string => `csrf ${token}`;
export const invitationText = (token: string): string => `invitation ${token}`;
export const deviceText = (id: string, email: string): string => `device ${id} ${email}`;
export const setupText = (salt: string): string => `console setup ${salt}`;

/** Whether it may have been a session's cookie once. With 32 bytes of chance it is no guess: it is of a session that is over. */
export const isSessionToken = (token: string): boolean => /^[\w-]{43}$/.test(token);
