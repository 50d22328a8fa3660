import { Type } from "typebox";

/** An error, wherever one is returned. */
const fault = {
  error: Type.String({ description: "One sentence for a person" }),
  code: Type.String({ description: "A stable word for a program: docs/errors.md" }),
  details: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description:
        "Every wrong field of a 400; of a 404 or 409 the field that names what it is about, with its value; of a 401 the header that was looked at, and what is wrong with it",
    }),
  ),
};

/** The one body of every error. */
export const errorSchema = Type.Object({
  success: Type.Literal(false),
  ...fault,
  request_id: Type.String({ description: "Also in the header X-Request-Id" }),
  powered_by: Type.String(),
});

/** The last message of a WebSocket that ends for a fault. */
export const SocketError = Type.Object({ type: Type.Literal("error"), ...fault });
