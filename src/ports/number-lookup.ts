import type { LineType } from "#domain/phones/line-type.ts";

/** The name of the phone's own carrier; null where that is not said. */
export type FoundLine = { lineType: LineType; carrierName: string | null };

/** Looks up what kind of line a phone is. Each answer is paid for. */
export interface NumberLookup {
  readonly name: string;
  /**
   * Of one phone, E.164. One that the carrier knows nothing of, and will know nothing of when it is asked again, is of an unknown type. Throws a
   * `CarrierProblem` where there is no answer.
   */
  look(phone: string, signal: AbortSignal): Promise<FoundLine>;
}
