/** The contact's number of a call, whoever called whom. */
export const otherSide = (it: { direction: string; from_number: string; to_number: string }): string =>
  it.direction === "inbound" ? it.from_number : it.to_number;

/** Ours. */
export const ourSide = (it: { direction: string; from_number: string; to_number: string }): string =>
  it.direction === "inbound" ? it.to_number : it.from_number;
