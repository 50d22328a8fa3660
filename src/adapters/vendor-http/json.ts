import { safeParse } from "secure-json-parse";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that an answer is; undefined for anything else. Keys that would reach a prototype make it no object. */
export function jsonObject(text: string): JsonObject | undefined {
  const value: unknown = safeParse(text);
  return isObject(value) ? value : undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects of a list; none where it is no list. */
export const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A text that says something. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
