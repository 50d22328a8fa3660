import { isIPv6 } from "node:net";
import type { Clock } from "./clock.ts";

const GROUPS = 8;
/** Of a network of version 6 that one customer has to themselves: 64 bits. */
const NETWORK_GROUPS = 4;

/** An address of version 4; of version 6 its network, since whoever has one has all of it. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const whole = [...first, ...Array<string>(GROUPS - first.length - last.length).fill("0"), ...last];
  return `${whole.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** Lets so many through in each second, of all networks and of each: what is held of them is of one second. */
export function perSecond(clock: Clock, most: { each: number; all: number }): (address: string) => boolean {
  let second = -1;
  let all = 0;
  const each = new Map<string, number>();
  return (address) => {
    const now = Math.floor(clock.now() / 1_000);
    if (now !== second) {
      second = now;
      all = 0;
      each.clear();
    }
    const network = networkOf(address);
    const its = each.get(network) ?? 0;
    if (all >= most.all || its >= most.each) return false;
    all++;
    each.set(network, its + 1);
    return true;
  };
}
