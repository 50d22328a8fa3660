import type { SipAgent } from "#adapters/sip-calls/agent.ts";
import type { TrunkCalls } from "#adapters/sip-calls/driver.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import type { Log } from "#operations/context.ts";
import type { CarrierAccount } from "#ports/carrier-account.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import { sipCapabilities, sipLine } from "./sip-line.ts";
import type { Sound } from "./voice-lines.ts";

/**
 * Calls over the trunks of tenants' accounts. An account is a tenant's in live mode by its type, so that nothing of a test key leads here. Without
 * `sound`, in a process that holds no calls, a line can be named and its pace asked for.
 */
export function tenantTrunks(
  sound: Sound | undefined,
  parts: { store: ObjectStore; now(): Date; log: Log },
): (account: CarrierAccount, trunk: Trunk) => TrunkCalls {
  return ({ carrier, tenantId, revision }, trunk) => {
    // Which numbers are the account's is known to the store: a line is found by a number of it.
    const mayCallFrom = async (asking: string) => asking === tenantId;
    if (sound === undefined) {
      const line = {
        ...{ name: carrier, revision, capabilities: sipCapabilities(trunk), mayCallFrom },
        room: () => 0,
        lookUp: async () => new Map(),
        begin() {
          throw new Error("calls are held by media nodes only");
        },
      };
      return { line, close() {} };
    }
    const { signalling, plane } = sound;
    const own = { tenantId };
    const isTaken = () => signalling.tenants.get(trunk.name) === own;
    // Where calls go with a registration they wait for it, however long it is refused.
    const isIn = () => !trunk.register || signalling.agent()!.trunkState(trunk.name).isRegistered;
    const agent: Pick<SipAgent, "call" | "room"> = {
      call: (...given) => signalling.agent()!.call(...given),
      room: (name) => (isTaken() && isIn() ? signalling.agent()!.room(name) : 0),
    };
    const leave = () => {
      // Another revision of it may have taken its place.
      if (!isTaken()) return;
      signalling.tenants.delete(trunk.name);
      signalling.agent()?.remove(trunk.name);
    };
    return {
      line: sipLine({
        ...{ ...parts, agent, trunk, plane, mayCallFrom },
        account: { carrier, revision },
      }),
      async takeCalls(taking) {
        if (taking === undefined) return leave();
        const opened = await signalling.open();
        signalling.tenants.set(trunk.name, own);
        opened.put({ ...trunk, numbers: taking.numbers }, taking);
      },
      registerAnew: () => (isTaken() ? signalling.agent()?.registerAnew(trunk.name) : undefined),
      close: leave,
    };
  };
}
