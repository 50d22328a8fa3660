import { randomBytes, randomUUID } from "node:crypto";
import { promises as dns } from "node:dns";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { openRtpPort } from "#adapters/sip-audio/rtp-port.ts";
import type { Presets } from "#adapters/sip-calls/account.ts";
import { sipDriver } from "#adapters/sip-calls/driver.ts";
import type { Config } from "#app/settings/config.ts";
import type { CarrierDriver } from "#ports/carrier-account.ts";

/** Tenants' trunks. A check is made from this process: it listens at ports of its own for the length of a check. */
export function sipAccounts(
  { sipAddress: address, sipPublicAddress: publicAddress, rtpPorts: range, carrierPrivateHosts }: Config,
  presets: string,
  callsOf: Parameters<typeof sipDriver>[0]["callsOf"],
): CarrierDriver {
  const at = { address, ...(publicAddress === undefined ? {} : { publicAddress }) };
  return sipDriver({
    presets: JSON.parse(presets) as Presets,
    callsOf,
    hosts: tenantHosts(carrierPrivateHosts),
    bind: { ...at, udpPort: 0, tcpPort: 0 },
    random: randomBytes,
    resolver: dns,
    newId: randomUUID,
    openMedia: (codecs) => openRtpPort({ ...at, range, codecs, hasSrtp: true, random: randomBytes }),
  });
}
