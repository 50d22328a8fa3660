import type { Codec } from "#adapters/sip-messages/formats.ts";
import type { MayReach } from "./locate.ts";
import type { Protocol } from "./transports.ts";

/** A name or an address; without a port a name is looked up by SRV first. */
export type Server = { host: string; port?: number };

export type TrunkIdentity = {
  /** The user in From: the number that the call is from, when absent, or another name, where the trunk knows us by that. */
  fromUser?: string;
  /** The header that has the number besides From (RFC 3325); none when absent. */
  header?: "p-asserted-identity" | "p-preferred-identity";
};

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
  /** Servers that requests go to in the place of `host`'s, which stays the domain; those that cannot be reached or have no room last. */
  proxies?: readonly Server[];
  /** How a call says who calls. */
  identity?: TrunkIdentity;
  /** How numbers are written toward the trunk: E.164 with its plus (when absent), or its digits alone. */
  numberFormat?: "plus" | "digits";
  /** Addresses and networks (`198.51.100.0/24`) that calls to us come from. */
  allowedAddresses: readonly string[];
  /** What calls to us may be for; anything when absent. */
  numbers?: readonly string[];
  /** A peer without a fixed address proves this on every call to us. */
  inboundCredentials?: { username: string; password: string; algorithm?: "MD5" | "SHA-256" };
  /** Addresses and networks that media may come from, besides the one that the session description names. */
  mediaAddresses?: readonly string[];
  srtp: "off" | "optional" | "required";
  /** In the order in which they are offered; G.711 when absent. An offer is answered with the first of its own that is among them. */
  codecs?: readonly Codec[];
  /** How keys are pressed: with the sound (`rtp`: as events, or as tones where the other side knows none), by `info`, or, when absent, by INFO where there are no events and it is allowed. */
  dtmf?: "auto" | "rtp" | "info";
  register: boolean;
  /** The user of our Contact, where it is not the user name: what the registrar then sends there is this trunk's, whatever number it is for. */
  contactUser?: string;
  /** Seconds between OPTIONS; 0 sends none. */
  keepAliveSeconds: number;
  maxCalls: number;
  callsPerSecond: number;
  /** For TLS: PEM of the authority that signed its certificate, and whether it is checked (default true). */
  tls?: { ca?: string; verify?: boolean };
  /** Of a trunk that a tenant brought: where anything may be sent, whoever named the host, a call's sound too. Anywhere when absent. */
  mayReach?: MayReach;
};
