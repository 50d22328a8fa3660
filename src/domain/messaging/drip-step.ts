/** How many follow-ups an agent has at most. Steps are counted by it: it cannot be raised alone. */
export const MAX_DRIPS = 50;

/**
 * Which follow-up of the agent a step is, from 0. A step exists once in a thread, so that a follow-up whose own step an earlier agent's has used
 * takes one that is a multiple of MAX_DRIPS higher.
 */
export const followUpOf = (step: number): number => (step - 1) % MAX_DRIPS;
