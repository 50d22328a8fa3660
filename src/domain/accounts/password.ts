/** NIST SP 800-63B-4: length is what counts; the upper end only bounds the work. */
export const PASSWORD_LENGTH = { min: 12, max: 128 } as const;

/** Fewer different characters than this are a key held down. */
const MIN_DIFFERENT = 5;

/** One password, however it was typed: the same letters may come as other code points from another keyboard. */
export const normalPassword = (password: string): string => password.normalize("NFKC");

/**
 * Why this cannot be a password, or undefined. `common` are words in lower case: a password that is one of them, or no more than one
 * of them with digits and signs around it, or twice the same, is among the first that anybody tries.
 */
export function passwordProblem(password: string, email: string, common: ReadonlySet<string>): string | undefined {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH.min || length > PASSWORD_LENGTH.max) {
    return `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`;
  }
  const folded = password.toLowerCase();
  const address = email.toLowerCase();
  if (folded === address || folded === address.split("@")[0]) return "must not be the e-mail address";
  const word = once(folded.replace(/[^\p{L}]/gu, ""));
  if (common.has(folded) || common.has(once(folded)) || common.has(word) || new Set(folded).size < MIN_DIFFERENT) {
    return "is one of the commonest passwords; take another";
  }
  return undefined;
}

/** "abcabc" is "abc" twice. */
function once(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return period > 0 ? text.slice(0, period) : text;
}
