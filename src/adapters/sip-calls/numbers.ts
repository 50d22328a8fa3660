import type { NumberInventory, TrunkStore } from "#ports/number-inventory.ts";

const COUNTRY = "+1";

/** The numbers of a SIP trunk, which its settings list: whoever takes one has it until they give it back. */
export function trunkNumbers(name: string, numbers: readonly string[], store: TrunkStore): NumberInventory {
  return {
    name,
    async search({ areaCode, contains = "", limit }) {
      const wanted = numbers.filter(
        (number) =>
          (areaCode === undefined || number.startsWith(COUNTRY + areaCode)) &&
          number.includes(contains, COUNTRY.length),
      );
      const owners = await store.owners(name, wanted);
      return wanted.filter((number) => !owners.has(number)).slice(0, limit);
    },
    purchase: async (tenantId, number) =>
      numbers.includes(number) && (await store.take(name, number, tenantId))
        ? { capabilities: { sms: false, mms: false, voice: true } }
        : undefined,
    release: (tenantId, number) => store.giveBack(name, number, tenantId),
  };
}
