import type { TObject, TOptional, TSchema, TUnsafe } from "typebox";
import type { Operation } from "./operation.ts";

/** `operations` are the only ones that it is for; `beside` is a name without which it means something else. */
type Alias = { name: string; aliases: readonly string[]; operations?: readonly string[]; beside?: string };

/**
 * Other names that a request's field or parameter is taken by, wherever an operation has the first one and not itself one of the others. Where
 * interface.md gives two operations two names for one thing, each takes the other's.
 */
export const ALIASES: readonly Alias[] = [
  { name: "leads", aliases: ["contacts", "clients"] },
  { name: "contacts", aliases: ["leads", "clients"] },
  { name: "clients", aliases: ["leads", "contacts"] },
  { name: "campaign_name", aliases: ["name"] },
  { name: "agent_name", aliases: ["name"] },
  { name: "list_name", aliases: ["name"] },
  { name: "name", aliases: ["organization_name"], operations: ["createOrganization", "listOrganizations"] },
  { name: "organization_name", aliases: ["name"], operations: ["updateOrganization"] },
  { name: "svc_sms_number", aliases: ["from_number", "sender"] },
  { name: "agent_outbound_number", aliases: ["from_number", "outbound_number", "sender"] },
  { name: "outbound_number", aliases: ["agent_outbound_number"] },
  { name: "from_number", aliases: ["agent_outbound_number", "outbound_number", "sender"] },
  { name: "to_number", aliases: ["to", "phone_number"] },
  { name: "status", aliases: ["state"] },
  { name: "begin", aliases: ["from"] },
  { name: "end", aliases: ["to"], beside: "begin" },
];

type Shape = { properties?: Record<string, Shape>; anyOf?: Shape[]; items?: Shape; "x-canonical"?: string };

/** The 10DLC registry's names are in camel case, as interface.md has them, and are taken in ours. */
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** By alias, the name that an operation knows, of one object of its request; and the same of the objects inside it. */
type Names = { aliases: Map<string, string>; inside: Map<string, Names> };

/**
 * The aliases that an operation takes for the names of its query or body. What its own answer has is none where it changes something: who has
 * read a thing may send it back as it was.
 */
export function aliasesOf(operation: Pick<Operation, "id" | "method" | "response">, schema: TObject): Names {
  const isChange = operation.method === "PATCH" || operation.method === "PUT";
  const answered = new Set(isChange ? namesIn(operation.response as Shape) : []);
  return namesOf(operation.id, schema as Shape, answered);
}

function namesOf(id: string, { properties = {} }: Shape, answered: ReadonlySet<string>): Names {
  const aliases = new Map<string, string>();
  const inside = new Map<string, Names>();
  for (const [name, property] of Object.entries(properties)) {
    const isFor = ({ operations, beside }: Alias) =>
      (operations?.includes(id) ?? true) && (beside === undefined || Object.hasOwn(properties, beside));
    const entry = ALIASES.find((each) => each.name === name && isFor(each));
    for (const alias of [...(entry?.aliases ?? []), snakeCase(name)]) {
      if (!Object.hasOwn(properties, alias) && !answered.has(alias) && !aliases.has(alias)) aliases.set(alias, name);
    }
    const names = property.properties && namesOf(id, property, answered);
    if (names && names.aliases.size > 0) inside.set(name, names);
  }
  return { aliases, inside };
}

/** Every name that a schema has at any depth. */
export function* namesIn({ properties = {}, anyOf = [], items }: Shape): Generator<string> {
  yield* Object.keys(properties);
  for (const inside of [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]) yield* namesIn(inside);
}

/** A request's query or body by the names that its operation knows, what is wrong where two names of one thing say different things, and the others. */
export type Renamed = {
  value: unknown;
  problems: { field: string; message: string }[];
  used: [name: string, alias: string][];
};

export function renamer(
  operation: Pick<Operation, "id" | "method" | "response">,
  schema: TSchema | undefined,
): (value: unknown) => Renamed {
  const names = schema && aliasesOf(operation, schema as TObject);
  if (!names || (names.aliases.size === 0 && names.inside.size === 0))
    return (value) => ({ value, problems: [], used: [] });
  return (value) => {
    const found: Found = { problems: [], used: [] };
    return { value: renamed(value, names, "", found), ...found };
  };
}

type Found = Pick<Renamed, "problems" | "used">;

function renamed(value: unknown, { aliases, inside }: Names, at: string, found: Found): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as Record<string, unknown>;
  const taken: Record<string, unknown> = { ...given };
  for (const alias of Object.keys(given)) {
    const name = aliases.get(alias);
    if (name === undefined) continue;
    delete taken[alias];
    if (!Object.hasOwn(taken, name)) {
      taken[name] = given[alias];
      found.used.push([`${at}${name}`, `${at}${alias}`]);
    } else if (JSON.stringify(taken[name]) !== JSON.stringify(given[alias])) {
      const message = `is another name of ${at}${name}, and the two have different values`;
      found.problems.push({ field: `${at}${alias}`, message });
    }
  }
  for (const [name, names] of inside) {
    if (Object.hasOwn(taken, name)) taken[name] = renamed(taken[name], names, `${at}${name}.`, found);
  }
  return taken;
}

/** What a field's former name is typed as, so that nothing of ours reads it by that. */
type Former = { readonly former: unique symbol };

/** A field of an answer under the name that it had before: deprecated, and equal to the field of the canonical name beside it. */
export const former = (canonical: string, schema: TSchema): TOptional<TUnsafe<Former>> =>
  ({ ...schema, deprecated: true, "x-canonical": canonical, description: `Former name of \`${canonical}\`` }) as never;

/** What of an answer has a second name, by its places. */
type Copies = { fields: [former: string, canonical: string][]; inside: [name: string, copies: Copies][] };

/** Adds to an answer the canonical name of each field that its handler gives by the former one alone. */
export function withCanonicalNames(schema: TSchema): <T>(answer: T) => T {
  const copies = copiesOf([schema as Shape]);
  return copies === undefined ? (answer) => answer : (answer) => copied(answer, copies);
}

/** A list is as its items: an answer says itself which of both it has. */
function copiesOf(shapes: readonly Shape[]): Copies | undefined {
  const all = shapes.flatMap(branchesOf);
  const properties = Object.entries(
    Object.groupBy(
      all.flatMap((shape) => Object.entries(shape.properties ?? {})),
      ([name]) => name,
    ),
  );
  const fields: Copies["fields"] = [];
  const inside: Copies["inside"] = [];
  for (const [name, found] of properties) {
    const schemas = found!.map(([, property]) => property);
    const canonical = schemas.map((schema) => schema["x-canonical"]).find((found) => found !== undefined);
    if (canonical !== undefined) fields.push([name, canonical]);
    const copies = copiesOf(schemas);
    if (copies) inside.push([name, copies]);
  }
  return fields.length > 0 || inside.length > 0 ? { fields, inside } : undefined;
}

const branchesOf = (shape: Shape): Shape[] => [
  shape,
  ...(shape.anyOf ?? []).flatMap(branchesOf),
  ...(shape.items ? branchesOf(shape.items) : []),
];

function copied<T>(value: T, copies: Copies): T {
  if (Array.isArray(value)) return value.map((item) => copied(item, copies)) as T;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || value instanceof Date) return value;
  const answer = { ...value } as Record<string, unknown>;
  for (const [name, within] of copies.inside) {
    if (Object.hasOwn(answer, name)) answer[name] = copied(answer[name], within);
  }
  for (const [name, canonical] of copies.fields) if (Object.hasOwn(answer, name)) answer[canonical] = answer[name];
  return answer as T;
}
