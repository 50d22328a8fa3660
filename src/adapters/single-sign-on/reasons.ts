import { HostNotPublic } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { ProviderProblem } from "#ports/sign-in.ts";

/** An error and what caused it, the outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) causes.push(at);
  return causes;
}

/** System errors of sockets and of TLS, time limits, and hosts that may not be reached. */
export const isUnreachable = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) =>
      cause instanceof HostNotPublic ||
      cause instanceof ProviderProblem ||
      ["TimeoutError", "AbortError"].includes(cause.name) ||
      ["OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON", "OAUTH_TIMEOUT"].includes(codeOf(cause)) ||
      "syscall" in cause ||
      /^(E[A-Z]+|CERT_|DEPTH_|UNABLE_|SELF_SIGNED|ERR_TLS|ERR_SSL)/.test(codeOf(cause)),
  );

const codeOf = (error: Error): string => String((error as { code?: unknown }).code ?? "");

/** In a few words: messages of the library and of sockets, without what came from outside. */
export function reasonOf(error: unknown): string {
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof HostNotPublic || cause instanceof ProviderProblem);
  if (own) return own.message;
  const system = causes.find((cause) => /^E[A-Z]+$/.test(codeOf(cause)) || cause.name === "TimeoutError");
  if (system) return system.name === "TimeoutError" ? "it does not answer in time" : codeOf(system);
  if (causes.some((cause) => codeOf(cause) === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"))
    return "it calls itself otherwise";
  const [first] = causes;
  return (first?.message ?? "unknown").slice(0, 200);
}

/** What is wrong with a token by the claim that was not as it must be: the library names the claim in the cause of its error. */
const OF_CLAIMS: Readonly<Record<string, string>> = {
  aud: "The provider's token is for another client than this one",
  azp: "The provider's token is for another client than this one",
  exp: "The provider's token has expired: begin again",
  nbf: "The provider's token does not count yet: its clock or ours is wrong",
  iss: "The provider's token names another issuer",
  nonce: "The provider's token is of another sign-in: begin again",
};

/** Why an answer that came from the provider does not count, in one sentence. */
export function lackOfToken(error: unknown): string {
  for (const each of causesOf(error)) {
    const { claim, signature } = (each.cause ?? {}) as { claim?: unknown; signature?: unknown };
    const known = typeof claim === "string" ? OF_CLAIMS[claim] : undefined;
    if (known !== undefined) return known;
    if (signature !== undefined || codeOf(each) === "OAUTH_KEY_SELECTION_FAILED" || /"alg" header/.test(each.message))
      return "The provider's token is not signed by a key of the provider";
    if (/"iss" \(issuer\)/.test(each.message)) return "The answer is not of the provider that was asked";
  }
  return `The provider's answer does not pass the checks: ${reasonOf(error)}`;
}
