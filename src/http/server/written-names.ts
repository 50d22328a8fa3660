import type { FastifyRequest } from "fastify";
import type { Renamed } from "#contract/values/names.ts";
import { type FieldProblem, invalid } from "#domain/values/errors.ts";

/** Of a request that used other names of fields: by the contract's name, the one that was written. */
const written = new WeakMap<FastifyRequest, Map<string, string>>();

/** A request's part by the names that the contract has; 400 where two names of one thing have two values. */
export function renamedPart(request: FastifyRequest, { value, problems, used }: Renamed): unknown {
  const [first, ...rest] = problems;
  if (first) throw invalid(first, ...rest);
  if (used.length > 0) written.set(request, new Map([...(written.get(request) ?? []), ...used]));
  return value;
}

/** What is wrong with a request, by the names that it used itself. */
export function asWritten<T extends { error: string; details?: readonly FieldProblem[] | undefined }>(
  request: FastifyRequest | undefined,
  wrong: T,
): T {
  const names = request && written.get(request);
  if (!names || wrong.details === undefined) return wrong;
  let { error } = wrong;
  const details = wrong.details.map((problem) => {
    const [name, alias] = [...names].find(([known]) => isWithin(problem.field, known)) ?? [];
    if (name === undefined) return problem;
    const field = alias + problem.field.slice(name.length);
    error = error.replace(`${problem.field} `, () => `${field} `);
    return { ...problem, field };
  });
  return { ...wrong, error, details };
}

const isWithin = (field: string, name: string): boolean =>
  field.startsWith(name) && [undefined, ".", "["].includes(field[name.length]);
