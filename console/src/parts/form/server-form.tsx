import { Alert, Button, Group, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { fieldErrors, messageOf } from "#api/error.ts";

/**
 * A form that is sent to the API: what is wrong with a field is shown at the field, by the API's own words, and what is
 * wrong with none of them above the button. The first wrong field has the focus. While it is under way it cannot be sent twice.
 *
 * `fieldOf` turns the API's name of a field into the form's, where they differ.
 */
export function ServerForm<Values extends Record<string, unknown>>({
  form,
  send,
  submit,
  children,
  cancel,
  fieldOf = (name) => name,
}: {
  form: UseFormReturnType<Values>;
  send: (values: Values) => Promise<unknown>;
  /** What the button says. */
  submit: string;
  children: ReactNode;
  cancel?: () => void;
  fieldOf?: (name: string) => string;
}) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const box = useRef<HTMLFormElement>(null);
  /** Set when errors came that are not drawn yet. */
  const isFirstWanted = useRef(false);
  const wantFirst = () => {
    isFirstWanted.current = true;
  };
  useEffect(() => {
    if (!isFirstWanted.current) return;
    const first = box.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    if (!first) return;
    isFirstWanted.current = false;
    first.focus();
  });

  const onSubmit = form.onSubmit(async (values) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await send(values);
    } catch (error) {
      const errors = Object.entries(fieldErrors(error)).map(([name, message]) => [fieldOf(name), message] as const);
      form.setErrors(Object.fromEntries(errors));
      wantFirst();
      // Of a field that this form does not show, the sentence has to be above the button.
      const isShown = errors.length > 0 && errors.every(([name]) => name.split(".")[0]! in form.getValues());
      if (!isShown) setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  }, wantFirst);

  return (
    <form onSubmit={onSubmit} noValidate ref={box}>
      <Stack gap="md">
        {children}
        {failure && (
          <Alert color="red" role="alert">
            {failure}
          </Alert>
        )}
        <Group justify={cancel ? "flex-end" : undefined} grow={!cancel} mt="xs">
          {cancel && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={isBusy}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
