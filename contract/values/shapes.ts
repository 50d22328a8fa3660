import { type TArray, type TObject, type TProperties, type TSchema, Type } from "typebox";

/** A string that says something: spaces alone are as good as missing. */
export const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: "\\S", ...(description ? { description } : {}) });

/** Free text that may be empty. */
export const freeText = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description ? { description } : {}) });

export const email = () =>
  Type.String({ maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$", description: "E-mail address" });

/** An opaque id of ours. Its form is not part of the contract: a wrong one is a 404, not a 400. */
export const id = (what: string) => Type.String({ minLength: 1, maxLength: 200, description: `Id of the ${what}` });

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = () => Type.String({ format: "date-time" });

/** ISO 8601 with a zone, as callers may write it; read by domain/values/instant.ts, which names the field when it is wrong. */
export const instant = (description: string) =>
  Type.String({ minLength: 1, maxLength: 40, description: `${description} (ISO 8601 with a zone)` });

/** An object that the OpenAPI document has under this name, among its components, wherever it occurs. */
export const named = <P extends TProperties>(title: string, properties: P): TObject<P> =>
  Type.Object(properties, { title });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const phone = () => Type.String({ minLength: 1, maxLength: 40, description: "Phone number, E.164" });

/** One of these, though typed as any string: what a page has from its address is not known before it is checked here. */
export const oneOf = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({ ...Type.Enum([...values]), ...(description ? { description } : {}) });

/** Ignored when it is the key's own tenant, 403 otherwise. */
export const tenantId = () =>
  Type.Optional(Type.String({ maxLength: 200, description: "Must be the key's own tenant" }));

/** The paging part of every list's query. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  pagination_key: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "`next_pagination_key` of the page before" }),
  ),
};

/** A list's answer: the items under their plural, and where the next page starts. */
export const page = <const Plural extends string, T extends TSchema>(plural: Plural, item: T) =>
  Type.Object({
    // A computed name has the type of any name.
    ...({ [plural]: Type.Array(item) } as { [name in Plural]: TArray<T> }),
    count: Type.Integer({ description: "Items on this page" }),
    has_more: Type.Boolean(),
    next_pagination_key: nullable(Type.String()),
  } satisfies TProperties);
