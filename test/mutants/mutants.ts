import { OF_ACCESS } from "./access.ts";
import { OF_ANSWERS } from "./answers.ts";
import { OF_CALLING_HOURS } from "./calling-hours.ts";
import { OF_CALLS } from "./calls.ts";
import { OF_FAULTS } from "./faults.ts";
import { OF_IMPORTS } from "./imports.ts";
import { OF_LINEAR_TIME } from "./linear-time.ts";
import { OF_MODES } from "./modes.ts";
import type { Mutant } from "./mutant.ts";
import { OF_ORGANIZATIONS } from "./organizations.ts";
import { OF_REPLICA } from "./replica.ts";
import { OF_SENDING } from "./sending.ts";
import { OF_STOPPED_CALLS } from "./stopped-calls.ts";
import { OF_STOPS } from "./stops.ts";
import { OF_STRANGERS } from "./strangers.ts";

/** The promises, each broken by one edit as somebody might make it. */
export const MUTANTS: readonly Mutant[] = [
  ...OF_ACCESS,
  ...OF_ANSWERS,
  ...OF_CALLING_HOURS,
  ...OF_CALLS,
  ...OF_FAULTS,
  ...OF_IMPORTS,
  ...OF_LINEAR_TIME,
  ...OF_MODES,
  ...OF_ORGANIZATIONS,
  ...OF_REPLICA,
  ...OF_SENDING,
  ...OF_STOPPED_CALLS,
  ...OF_STOPS,
  ...OF_STRANGERS,
];
