import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { freeText, named } from "#contract/values/shapes.ts";

export const AreaCode = named("AreaCode", {
  areaCode: Type.String(),
  city: Type.String(),
  state: Type.String({ description: "2 letters" }),
  country: Type.String(),
});

export const searchAreaCodes = operation({
  id: "searchAreaCodes",
  method: "GET",
  path: "/v1/10dlc/phone-numbers/area-codes",
  tag: "Phone numbers",
  summary: "Search the area codes of the US and Canada",
  scope: "read",
  query: Type.Object({
    state: Type.Optional(Type.String({ pattern: "^([A-Za-z]{2})?$", description: "2-letter code" })),
    city: Type.Optional(freeText(100, "Its whole name, case and accents aside")),
    areaCode: Type.Optional(Type.String({ pattern: "^(\\d{3})?$", description: "3 digits" })),
    // Strings in the interface, and so here; read as numbers behind this.
    page: Type.Optional(Type.String({ maxLength: 20, default: "1", description: "From 1" })),
    limit: Type.Optional(Type.String({ maxLength: 20, default: "50", description: "1 to 500" })),
  }),
  status: 200,
  response: Type.Object({
    area_codes: Type.Array(AreaCode),
    count: Type.Integer({ description: "Entries on this page" }),
    total: Type.Integer({ description: "Entries that match" }),
  }),
});

export const listAreaCodeStates = operation({
  id: "listAreaCodeStates",
  method: "GET",
  path: "/v1/10dlc/phone-numbers/area-codes/states",
  tag: "Phone numbers",
  summary: "The states and provinces of the US and Canada, each with its area codes",
  scope: "read",
  status: 200,
  response: Type.Object({
    states: Type.Array(
      Type.Object({
        state: Type.String({ description: "2 letters" }),
        name: Type.String(),
        country: Type.String(),
        area_codes: Type.Array(Type.String()),
      }),
    ),
    count: Type.Integer(),
  }),
});
