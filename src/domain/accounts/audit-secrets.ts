/** Stands where a secret stood. */
export const LEFT_OUT = "(left out)";

/**
 * Fields whose values never come into the audit log, nor does anything below them. A test walks every contract: a field named like a secret is in this
 * list, or in `NO_SECRETS` with the reason.
 */
export const SECRET_FIELDS: readonly string[] = [
  "api_key",
  "client_secret",
  "code",
  "credential",
  "credentials",
  "csrf_token",
  "current_password",
  "invitation_url",
  "new_password",
  "passkey",
  "password",
  "recording_url",
  "recovery_code",
  "recovery_codes",
  "secret",
  "token",
];

/** Named like secrets, and none. */
export const NO_SECRETS: Readonly<Record<string, string>> = {
  api_keys: "a list of keys, of which each has its own fields",
  area_code: "where a number belongs",
  area_codes: "where numbers belong",
  carrier_code: "a carrier's word for what failed",
  error_code: "a word for what failed",
  has_client_secret: "whether there is one",
  input_tokens: "how many",
  key: "what a thing is called in a list",
  key_id: "the public id of a key",
  output_tokens: "how many",
  next_pagination_key: "where the next page begins",
  pagination_key: "where a page begins",
  password_allowed: "whether they are allowed",
  postal_code: "where somebody lives",
  public_key: "whoever has it can verify, and no more",
  recovery_codes_left: "how many there are",
  zip_code: "where somebody lives",
};

/** What a secret's field is named like, of whatever contract is written later. */
export const LIKE_SECRET =
  /password|passwd|secret|token|credential|private|otp|recovery|api_?key|(^|_)key$|(^|_)pin$|(^|_)code(s)?$|invitation_url|recording_url/i;

const SECRETS: ReadonlySet<string> = new Set(SECRET_FIELDS);

/** Whether a field's value is left out. One that is only named like a secret is left out where it is a text, unless the list says that it is none. */
export function isSecret(name: string, value: unknown): boolean {
  if (SECRETS.has(name)) return true;
  return typeof value === "string" && LIKE_SECRET.test(name) && !(name in NO_SECRETS);
}
