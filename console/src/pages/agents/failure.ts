import { useState } from "react";
import { ApiError, fieldErrors, messageOf } from "#api/error.ts";
import { type Errors, formName } from "./draft.ts";

/** What the API said of a form: of its fields, and as one sentence. `clear` when something is changed. */
export function useFailure(): {
  errors: Errors;
  failure: string | undefined;
  fail: (error: unknown) => void;
  clear: () => void;
} {
  const [state, setState] = useState<{ errors: Errors; failure: string | undefined }>({
    errors: {},
    failure: undefined,
  });
  return {
    ...state,
    clear: () => setState({ errors: {}, failure: undefined }),
    fail: (error) => {
      const errors = Object.fromEntries(
        Object.entries(fieldErrors(error)).map(([name, message]) => [formName(name), message]),
      );
      // It comes without its field.
      if (error instanceof ApiError && error.code === "voice_configuration_failed") errors.voice_id ??= error.message;
      setState({ errors, failure: messageOf(error) });
    },
  };
}
