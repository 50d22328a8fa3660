import type { TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import type { CallLine } from "#ports/call-line.ts";
import type { CarrierAccount, CarrierDriver, CarrierNumber, OpenCarrier, SetUp } from "#ports/carrier-account.ts";
import { numbersOf, type Presets, problemsOf, trunkOf } from "./account.ts";
import { type DoctorParts, examine } from "./doctor.ts";

/** A trunk with no number of its own calls from this one when it is checked: its provider will say that it may not. */
const NOBODY = "+12125550100";

/** How calls of a trunk are held: by a process for calls, or from afar. */
export type TrunkCalls = Pick<OpenCarrier, "takeCalls" | "registerAnew"> & { line: CallLine; close(): void };

type Parts = DoctorParts & {
  presets: Presets;
  hosts: TenantHosts;
  callsOf(account: CarrierAccount, trunk: Trunk): TrunkCalls;
};

/** SIP trunks that a tenant brings: its numbers are those that the account lists, and its check places a call where it is asked to. */
export function sipDriver(parts: Parts): CarrierDriver {
  return {
    kind: "sip",
    identity: [],
    places: [],
    problems: (account) => problemsOf(account, parts.presets, parts.hosts),
    open(account) {
      const trunk = trunkOf(account, parts.presets, parts.hosts);
      const numbers = numbersOf(account.settings);
      const listed: CarrierNumber[] = numbers.map((phone) => ({
        phone,
        capabilities: { sms: false, mms: false, voice: true },
        carrierId: null,
      }));
      const missing = [
        ...(numbers.length > 0 ? [] : ["Name the trunk's numbers in settings.numbers: calls are placed from these"]),
        ...(trunk.allowedAddresses.length > 0 || trunk.register
          ? []
          : ["Name in settings.allowed_addresses where the provider's calls come from: without it none is taken"]),
      ];
      // The provider's side is set up on its own pages: nothing of it can be changed from here.
      const setUp: SetUp = { changes: [], missing };
      const { line, takeCalls, registerAnew, close } = parts.callsOf(account, trunk);
      return {
        line,
        ...(takeCalls ? { takeCalls } : {}),
        ...(registerAnew ? { registerAnew } : {}),
        numbers: async () => listed,
        preview: async () => setUp,
        apply: async () => setUp,
        check: (_urls, { to }, signal) =>
          examine(trunk, parts, to === undefined ? undefined : { from: numbers[0] ?? NOBODY, to }, signal),
        close: async () => close(),
      };
    },
  };
}
