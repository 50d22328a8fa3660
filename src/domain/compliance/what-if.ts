import { CONSENT_CHANNELS, type ConsentBasis, type ConsentChannel, type StoredBasis } from "./consent.ts";
import type { Profile } from "./jurisdiction.ts";

/** What is to be taken for so, instead of what is known. What is absent stays as it is. */
export type Supposed = {
  /** `none`: no consent at all. */
  consent?: { basis: ConsentBasis; channel: ConsentChannel } | undefined;
  optedOut?: boolean | undefined;
  profile?: Profile | undefined;
};

type Known = { phone: string; opted_out_at: Date | null; doubted_at: Date | null; deactivated_at: Date | null } & {
  bases: StoredBasis[] | null;
};

/** A phone's consent as it would stand at a time. A consent that is supposed takes the place of all that stand for its channel. */
export function supposedConsent<C extends Known>(known: C, supposed: Supposed, at: Date): C {
  const { consent, optedOut } = supposed;
  let { bases, opted_out_at } = known;
  if (consent) {
    const channels = consent.channel === "any" ? CONSENT_CHANNELS.filter((each) => each !== "any") : [consent.channel];
    const rest = (bases ?? []).filter(({ channel }) => !channels.some((each) => each === channel));
    const { basis } = consent;
    const added = basis === "none" ? [] : channels.map((channel) => ({ basis, channel, at: at.toISOString() }));
    bases = [...rest, ...added];
  }
  if (optedOut !== undefined) opted_out_at = optedOut ? (opted_out_at ?? at) : null;
  return { ...known, bases, opted_out_at };
}
