/** The base address, without a slash at its end, at which a vendor's host is reached: `api.twilio.com`. */
export type VendorHosts = (host: string) => string;

/** Each at its own address, but for those that were pointed elsewhere: a regional host, a gateway of one's own, a stand-in. */
export const vendorHosts =
  (elsewhere: Readonly<Record<string, string>> = {}): VendorHosts =>
  (host) =>
    Object.hasOwn(elsewhere, host) ? elsewhere[host]!.replace(/\/$/, "") : `https://${host}`;
