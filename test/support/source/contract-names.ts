import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Operation } from "#contract/values/operation.ts";
import { root } from "./source.ts";

type Shape = { properties?: Record<string, Shape>; anyOf?: Shape[]; items?: Shape; "x-canonical"?: string };

/** A name of the API: where it is a field or parameter, and where it is only the former name of one. */
export type ApiName = { places: string[]; former: string[] };

/** Every operation of the contract. */
export async function contractOperations(): Promise<Operation[]> {
  const files = globSync("contract/*/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(root, file)).href)));
  const isOperation = (value: unknown): value is Operation =>
    typeof value === "object" && value !== null && "method" in value && "path" in value && "response" in value;
  return modules.flatMap((module) => Object.values(module).filter(isOperation));
}

/** Every name in requests and answers, by the places that have it: `getMessage.message.status`. */
export async function contractNames(): Promise<Map<string, ApiName>> {
  const names = new Map<string, ApiName>();
  const walk = ({ properties = {}, anyOf = [], items }: Shape, at: string): void => {
    for (const [name, schema] of Object.entries(properties)) {
      const known = names.get(name) ?? { places: [], former: [] };
      names.set(name, known);
      known[schema["x-canonical"] === undefined ? "places" : "former"].push(`${at}.${name}`);
      walk(schema, `${at}.${name}`);
    }
    for (const branch of anyOf) walk(branch, at);
    if (items) walk(items, `${at}[]`);
  };
  for (const { id, params, query, body, response } of await contractOperations()) {
    for (const part of [params, query, body, response]) if (part) walk(part as Shape, id);
  }
  return names;
}
