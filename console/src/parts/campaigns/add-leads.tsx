import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useState } from "react";
import { ApiError, messageOf } from "#api/error.ts";
import { type Audience, AudienceField, isChosen, NO_AUDIENCE } from "./audience.tsx";

/** Adds people to a campaign. `add` answers with one sentence of what it did. `children` are further fields. */
export function AddLeads({
  isOpen,
  first = NO_AUDIENCE,
  close,
  add,
  children,
}: {
  isOpen: boolean;
  /** What is chosen to begin with; another `key` begins anew. */
  first?: Audience;
  close: () => void;
  add: (audience: Audience) => Promise<string>;
  children?: ReactNode;
}) {
  const [audience, setAudience] = useState(first);
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const send = async () => {
    setState({ isBusy: true });
    try {
      notifications.show({ message: await add(audience), color: "teal" });
      setAudience(first);
      setState({ isBusy: false });
      close();
    } catch (error) {
      const [detail] = error instanceof ApiError && error.code === "invalid_request" ? error.details : [];
      setState({ isBusy: false, error: detail ? `${detail.field} ${detail.message}` : messageOf(error) });
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title="Add people" size="lg">
      <Stack>
        <AudienceField value={audience} onChange={setAudience} />
        {children}
        {state.error && (
          <Alert color="red" role="alert">
            {state.error}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button onClick={send} loading={state.isBusy} disabled={!isChosen(audience)}>
            Add
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
