/** Addresses that have their first `bits` in common. IPv4 and IPv6 are two worlds. */
export type AddressRange = { width: 32 | 128; bits: number; address: bigint };

const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;
const HEX = /^[\da-f]{1,4}$/i;

/** Groups of an address as one number; undefined where one is none. */
function joined(groups: readonly string[], form: RegExp, radix: 10 | 16, bits: 8 | 16): bigint | undefined {
  let value = 0n;
  for (const group of groups) {
    const number = form.test(group) ? Number.parseInt(group, radix) : Number.NaN;
    if (!(number < 2 ** bits)) return undefined;
    value = (value << BigInt(bits)) | BigInt(number);
  }
  return value;
}

function readAddress(text: string): Pick<AddressRange, "width" | "address"> | undefined {
  if (!text.includes(":")) {
    const groups = text.split(".");
    const address = groups.length === 4 ? joined(groups, DECIMAL, 10, 8) : undefined;
    return address === undefined ? undefined : { width: 32, address };
  }
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return undefined;
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const left = 8 - before.length - after.length;
  if (tail === undefined ? left !== 0 : left < 1) return undefined;
  const address = joined([...before, ...Array.from({ length: left }, () => "0"), ...after], HEX, 16, 16);
  return address === undefined ? undefined : { width: 128, address };
}

/** An address such as `203.0.113.9`, or a network such as `203.0.113.0/24` or `2001:db8::/32`; undefined for what is neither. */
export function readRange(text: string): AddressRange | undefined {
  const [address = "", bits, more] = text.split("/");
  const read = readAddress(address);
  if (read === undefined || more !== undefined) return undefined;
  if (bits === undefined) return { ...read, bits: read.width };
  return DECIMAL.test(bits) && Number(bits) <= read.width ? { ...read, bits: Number(bits) } : undefined;
}

/** Whether all of one range are in the other. */
const isWithin = (inner: AddressRange, outer: AddressRange): boolean =>
  inner.width === outer.width &&
  inner.bits >= outer.bits &&
  inner.address >> BigInt(outer.width - outer.bits) === outer.address >> BigInt(outer.width - outer.bits);

/** Whether an address, or every address of a network, is in one of these. What is no address is in none. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  const one = readRange(text);
  return one !== undefined && ranges.some((range) => isWithin(one, range));
}

/** Ranges that have been checked before they were kept. */
export const rangesOf = (texts: readonly string[]): AddressRange[] =>
  texts.map(readRange).filter((range) => range !== undefined);
