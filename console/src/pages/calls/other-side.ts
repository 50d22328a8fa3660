import { formatPhone } from "#parts/show/phone-number.tsx";

/** The contact's number of a call, whoever called whom. */
export const otherSide = (call: { direction: string; from_number: string; to_number: string }): string =>
  call.direction === "inbound" ? call.from_number : call.to_number;

/** Ours. */
export const ourSide = (call: { direction: string; from_number: string; to_number: string }): string =>
  call.direction === "inbound" ? call.to_number : call.from_number;

/** The contact by its name or, where it has none, its number. */
export const nameOf = (call: Parameters<typeof otherSide>[0] & { contact_name: string | null }): string =>
  call.contact_name ?? formatPhone(otherSide(call));
