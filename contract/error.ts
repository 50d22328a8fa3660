import { Type } from "typebox";

/** The one body of every error. */
export const errorSchema = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: "One sentence for a person" }),
    code: Type.String({ description: "A stable word for a program: docs/errors.md" }),
    request_id: Type.String(),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), { description: "Every wrong field" }),
    ),
    powered_by: Type.String(),
  },
  { $id: "Error" },
);
