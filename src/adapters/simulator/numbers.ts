import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import type { NumberPlan } from "#domain/phones/number-plan.ts";
import type { NumberInventory } from "#ports/number-inventory.ts";

/** Numbers that an area code has. More than a pool needs, few enough to look through all of them for some digits. */
const PER_AREA_CODE = 500;

/** Yukon, Nunavut and the Northwest Territories: carriers seldom have numbers there, and this one has none. */
const SOLD_OUT = new Set(["867"]);

/**
 * What the simulated carrier has to give: the same numbers every day and for each tenant, in every real area code. A network is one
 * tenant's own, so what another has bought is still to be had.
 */
export function simulatedNumbers(plan: NumberPlan): NumberInventory {
  const areaCodes = [...new Set(plan.areaCodes.map((area) => area.areaCode))].sort();

  function* stock(areaCode: string): Generator<string> {
    if (SOLD_OUT.has(areaCode)) return;
    const exchange = exchangeOf(areaCode);
    for (let i = 0; i < PER_AREA_CODE; i++) yield numberAt(areaCode, exchange, i);
  }

  return {
    name: SIMULATOR,
    async search({ areaCode, contains = "", limit }) {
      const found: string[] = [];
      const codes = areaCode === undefined ? areaCodes : areaCodes.filter((code) => code === areaCode);
      for (const code of codes) {
        for (const number of stock(code)) {
          if (found.length === limit) return found;
          if (number.includes(contains, COUNTRY.length)) found.push(number);
        }
      }
      return found;
    },
    purchase: async (_tenantId, number) => {
      const areaCode = number.slice(COUNTRY.length, COUNTRY.length + 3);
      return areaCodes.includes(areaCode) && [...stock(areaCode)].includes(number) ? {} : undefined;
    },
    release: async () => {},
  } satisfies NumberInventory;
}

const COUNTRY = "+1";

/** One exchange an area code, neither a service's (N11), nor premium (976), nor that of the scripted handsets (555). */
function exchangeOf(areaCode: string): string {
  for (let at = Number(areaCode) * 37; ; at += 61) {
    const exchange = String(200 + (at % 800));
    if (!exchange.endsWith("11") && exchange !== "976" && exchange !== "555") return exchange;
  }
}

/** Lines lie apart as people's do; 7,919 has no divisor in common with 10,000, so that none comes twice. */
const numberAt = (areaCode: string, exchange: string, i: number): string =>
  `${COUNTRY}${areaCode}${exchange}${String((Number(areaCode) * 13 + i * 7_919) % 10_000).padStart(4, "0")}`;
