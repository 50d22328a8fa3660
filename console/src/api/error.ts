/** One wrong field of a request, by the path that the API writes: `contacts[3].phone_number`. */
export type FieldError = { field: string; message: string };

/** What went wrong with a request: the API's own error, or that there was no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly FieldError[];
  readonly requestId: string | undefined;

  /** `status` 0 and the code `no_connection`: the service was not reached. */
  constructor(status: number, code: string, message: string, details: readonly FieldError[] = [], requestId?: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

/** One sentence for a person, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "Something went wrong.";
}

/**
 * The errors of a form's fields, for `form.setErrors`; empty when the error is about no field. What is not found or in conflict is said by its
 * sentence: its details are ids, for programs.
 */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || error.code !== "invalid_request") return {};
  return Object.fromEntries(
    error.details.map(({ field, message }) => [
      field.replace(/\[(\d+)\]/g, ".$1"),
      MISSING.has(message) ? wishFor(field) : message,
    ]),
  );
}

/** What the API says of a field without a value. */
const MISSING: ReadonlySet<string> = new Set(["must not be empty", "is required"]);

/** "Enter a name", "Choose an agent": what to do about a field without a value. */
function wishFor(field: string): string {
  const name = field.replace(/\[\d+\]/g, "").replace(/^.*\./, "");
  if (name.endsWith("_id")) return `Choose ${withArticle(/agent/.test(name) ? "agent" : wordsOf(name.slice(0, -3)))}`;
  if (name.endsWith("number")) return "Enter a phone number";
  if (/^(agent|campaign|list|organization)_name$/.test(name)) return "Enter a name";
  return `Enter ${withArticle(wordsOf(name))}`;
}

const wordsOf = (name: string): string => name.replaceAll("_", " ");
const withArticle = (words: string): string => `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
