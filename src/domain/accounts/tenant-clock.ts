/** The simulated carrier's name, in lanes and numbers: the one whose telephones live in a tenant's own time. */
export const SIMULATOR = "simulator";

/**
 * Whether what is due by a tenant's clock may be handed to this carrier. A clock that was moved for simulated phones says nothing of the hour at
 * which a real one rings: nothing goes there until it is right again. `movesLive` is for tests whose peers stand for the telephone network.
 */
export const clockHoldsFor = (carrier: string, offsetMs: number, movesLive: boolean): boolean =>
  offsetMs === 0 || carrier === SIMULATOR || movesLive;
