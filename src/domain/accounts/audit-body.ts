import { LEFT_OUT } from "./audit-secrets.ts";

/** Which fields of a body are kept: by name, `true` where the whole value is, else those below it. */
export type KeptFields = { readonly [name: string]: true | KeptFields };

/** Of paths with dots, apart by spaces: `name drip_schedule.day`. */
export function keptFields(paths: string): KeptFields {
  const top: Record<string, true | KeptFields> = Object.create(null);
  for (const path of paths.split(/\s+/).filter(Boolean)) {
    const names = path.split(".");
    let at = top;
    for (const name of names.slice(0, -1)) {
      at[name] ??= Object.create(null) as KeptFields;
      at = at[name] as Record<string, true | KeptFields>;
    }
    at[names.at(-1)!] = true;
  }
  return top;
}

/** The part of a body that is kept; undefined where that is nothing. */
export function keptBody(body: unknown, fields: KeptFields): Record<string, unknown> | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const kept = Object.entries(body).flatMap(([name, value]) => {
    const below = fields[name];
    const part = below === undefined ? undefined : keptValue(value, below);
    return part === undefined ? [] : [[name, part] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function keptValue(value: unknown, fields: true | KeptFields): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((each) => keptValue(each, fields) ?? LEFT_OUT);
  if (typeof value === "object") return fields === true ? undefined : keptBody(value, fields);
  return fields === true ? value : undefined;
}
