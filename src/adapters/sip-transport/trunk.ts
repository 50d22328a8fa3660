import type { Protocol } from "./transports.ts";

/** What we agree with a carrier of voice about. Plain data. */
export type Trunk = {
  name: string;
  /** A name or an address. Without a port the name is looked up by SRV (RFC 3263), then by address. */
  host: string;
  port?: number;
  transport: Protocol;
  /** For what the trunk challenges: digest. */
  username?: string;
  password?: string;
  /** Credentials are given to this realm alone; to any that asks when absent. */
  realm?: string;
  /** The host in From; `host` when absent. */
  fromDomain?: string;
  /** Addresses and networks (`198.51.100.0/24`) that calls to us come from. */
  allowedAddresses: readonly string[];
  /** What calls to us may be for; anything when absent. */
  numbers?: readonly string[];
  /** A peer without a fixed address proves this on every call to us. */
  inboundCredentials?: { username: string; password: string; algorithm?: "MD5" | "SHA-256" };
  /** Addresses and networks that media may come from, besides the one that the session description names. */
  mediaAddresses?: readonly string[];
  srtp: "off" | "optional" | "required";
  register: boolean;
  /** Seconds between OPTIONS; 0 sends none. */
  keepAliveSeconds: number;
  maxCalls: number;
  callsPerSecond: number;
  /** For TLS: PEM of the authority that signed its certificate, and whether it is checked (default true). */
  tls?: { ca?: string; verify?: boolean };
};
