import type { Plan } from "./plan.ts";
import type { Outcome, Simulation } from "./run.ts";

/**
 * The smallest plan found that still breaks the same promise with the seed's chances: one event or fault after the other is
 * left out, as long as a problem of the same kind remains.
 */
export async function shrink(simulation: Simulation, { seed, plan, problems }: Outcome): Promise<Plan> {
  const kinds = new Set(problems.map(kindOf));
  const fails = async (candidate: Plan) => {
    const outcome = await simulation.run(seed, { plan: candidate });
    return outcome.problems.some((problem) => kinds.has(kindOf(problem)));
  };
  let smallest = plan;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerOnes(smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Without its numbers, names and refs. */
const kindOf = (problem: string): string => problem.replace(/#\d+ |[+\d:.TZ-]+|\b[ab]\b/g, "");

function* smallerOnes(plan: Plan): Generator<Plan> {
  for (const i of plan.faults.keys()) yield { ...plan, faults: plan.faults.toSpliced(i, 1) };
  // Without its campaign there is nothing to see.
  for (const i of [...plan.events.keys()].slice(1)) yield { ...plan, events: plan.events.toSpliced(i, 1) };
  if (plan.workers > 1) yield { ...plan, workers: plan.workers - 1 };
  if (plan.drips.length > 0) yield { ...plan, drips: plan.drips.slice(1) };
}
