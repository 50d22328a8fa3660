/** Who says that a caller may use its number, and how sure they are (STIR/SHAKEN: ATIS-1000074, ATIS-1000085). */
export type Attestation = {
  /** A: the customer is known, and has the number. B: the customer is known. C: nothing but where the call came in. Null where it is not said. */
  level: "A" | "B" | "C" | null;
  /** Whether the signature was checked by the carrier that brought the call. Null: nobody says, and the level is a claim. */
  verdict: "passed" | "failed" | "not_checked" | null;
};

const VERDICTS: readonly (readonly [string, NonNullable<Attestation["verdict"]>])[] = [
  ["tn-validation-passed", "passed"],
  ["tn-validation-failed", "failed"],
  ["no-tn-validation", "not_checked"],
];

/** From a verstat value, a P-Attestation-Indicator and the `attest` of a signature, each as it came; undefined where none says anything. */
export function attestationOf(said: {
  verstat?: string | undefined;
  indicator?: string | undefined;
  identity?: string | undefined;
}): Attestation | undefined {
  const verstat = said.verstat?.trim().toLowerCase();
  const verdict = VERDICTS.find(([name]) => verstat?.startsWith(name))?.[1] ?? null;
  // Some carriers append the level: TN-Validation-Passed-A.
  const appended = /-([abc])$/.exec(verstat ?? "")?.[1];
  const level = [said.indicator, appended, said.identity].map(levelOf).find((found) => found !== null) ?? null;
  return verdict === null && level === null ? undefined : { level, verdict };
}

function levelOf(text: string | undefined): Attestation["level"] {
  const level = text?.trim().toUpperCase();
  return level === "A" || level === "B" || level === "C" ? level : null;
}
