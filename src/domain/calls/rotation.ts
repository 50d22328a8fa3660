// Which of a campaign's numbers a call leaves by.

/** One of a campaign's numbers, as a claim finds it. */
export type UsableNumber = {
  number: string;
  /** Calls from it today, of any campaign. */
  placed: number;
  /** Calls that its line takes from it now; infinite where the line has no limit. */
  left: number;
  isResting: boolean;
};

/** `known`: the number that the contact has been called from, where it is to be kept. `isAsked`: the contact waits for the call. */
export type Wanted = { phone: string; known: string | null; isAsked: boolean };

/**
 * Numbers for the calls of one claim, one after the other. A number that rests is not taken, unless all rest and the contact has asked for the call.
 * Of the others it is the one that the contact knows. Where that may not call now, who has asked waits for it, and who has not is called by another,
 * since a call that waits holds up those behind it. Else it is one of the contact's area code, and of these the one with the fewest calls today, in the
 * campaign's order. The same numbers and calls give the same choice.
 */
export function rotation(numbers: readonly UsableNumber[]) {
  const all = numbers.map((each) => ({ ...each, taken: 0 }));
  const awake = all.filter(({ isResting }) => !isResting);
  return {
    /** Calls that may still be placed by it now. */
    left: () => sum(awake.length === 0 ? all : awake),
    areAllResting: awake.length === 0 && all.length > 0,
    /** Undefined: none now; the call waits. */
    take({ phone, known, isAsked }: Wanted): string | undefined {
      const usable = awake.length === 0 && isAsked ? all : awake;
      const own = usable.find(({ number }) => number === known);
      const free =
        own && (isAsked || own.left >= 1)
          ? [own].filter(({ left }) => left >= 1)
          : usable.filter(({ left }) => left >= 1);
      const local = free.filter(({ number }) => isLocal(number, phone));
      const among = local.length > 0 ? local : free;
      const [first, ...rest] = among;
      if (!first) return undefined;
      const chosen = rest.reduce((least, each) => (each.placed < least.placed ? each : least), first);
      chosen.placed++;
      chosen.left--;
      chosen.taken++;
      return chosen.number;
    },
    /** How many were taken of each that was. */
    taken: () => all.filter(({ taken }) => taken > 0).map(({ number, taken }) => ({ number, taken })),
  };
}

export type Rotation = ReturnType<typeof rotation>;

/** Two numbers of one area code of the North American plan. */
const isLocal = (number: string, phone: string): boolean =>
  number.startsWith("+1") && number.length === 12 && phone.length === 12 && number.slice(0, 5) === phone.slice(0, 5);

const sum = (numbers: readonly { left: number }[]): number =>
  numbers.reduce((all, { left }) => all + Math.max(0, Math.floor(left)), 0);
