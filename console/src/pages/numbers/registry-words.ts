/** The registry's reasons of a refusal, and what helps. */
const REASONS: Readonly<Record<string, string>> = {
  TAX_ID: "The tax number (EIN) is not that of this company. Enter it as the tax office has it, and submit again.",
  USE_CASE: "Carriers do not take texts of this kind. Choose another use case, or another channel.",
};

export const refusalOf = (reason: string): string => REASONS[reason] ?? `The registry says: ${reason}.`;

const STATES = {
  PENDING: { label: "In review", tone: "wait" },
  ACTIVE: { label: "Approved", tone: "good" },
  REJECTED: { label: "Refused", tone: "bad" },
} as const;
export type RegistryStatus = keyof typeof STATES;

export const registryState = (status: RegistryStatus) => STATES[status];

/** Where the words alone would be read wrongly. */
const SPELLED: Readonly<Record<string, string>> = { two_factor: "Two-factor codes", mobile_qr_code: "QR code" };

/** "LOW_VOLUME" as "Low volume". */
export const wordsOfKind = (word: string): string => {
  if (SPELLED[word] !== undefined) return SPELLED[word];
  const words = word.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
