/** The kinds of carriers that an account may be with. */
export const CARRIER_KINDS = ["twilio", "telnyx", "smpp", "sip"] as const;

export type CarrierKind = (typeof CARRIER_KINDS)[number];
