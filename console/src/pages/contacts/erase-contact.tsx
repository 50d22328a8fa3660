import { Alert, Button, Group, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { contactName } from "#parts/form/contact-fields.ts";
import { formatPhone } from "#parts/show/phone-number.tsx";
import type { Lead } from "./contact-drawer.tsx";

const WORD = "ERASE";

/** Erases all that is personal of a contact, once its word has been typed. */
export function EraseContact({ lead, close, onErased }: { lead: Lead; close: () => void; onErased: () => void }) {
  const [typed, setTyped] = useState("");
  const erase = useSend("DELETE /v1/contacts/leads/:lead_id", ["GET /v1/contacts/leads", "GET /v1/contacts/lists"], {
    isShown: true,
  });
  const isTyped = typed.trim().toUpperCase() === WORD;
  const submit = async () => {
    if (!isTyped) return;
    try {
      await erase.mutateAsync({ params: { lead_id: lead.unique_id } });
    } catch {
      // Said below.
      return;
    }
    notifications.show({ message: "The contact was erased" });
    onErased();
  };
  return (
    <Modal opened onClose={close} title={`Erase ${contactName(lead) ?? formatPhone(lead.phone_number)}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack>
          <Text size="sm">This cannot be undone. Gone for good are:</Text>
          <List size="sm">
            <List.Item>the name, the number and every other field, on every list</List.Item>
            <List.Item>what was written and said, and what was found out by it; recordings, too</List.Item>
            <List.Item>consents with their proof</List.Item>
          </List>
          <Text size="sm">
            What waits to be sent is withdrawn. Numbers of texts and their states stay in the counts of campaigns. An
            opt-out stays in a form that no longer shows the number, so that it holds if the number comes back.
            Do-not-call entries stay: take them off on their own page.
          </Text>
          <TextInput
            label={`Type ${WORD} to continue`}
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {erase.error && (
            <Alert color="red" role="alert">
              {messageOf(erase.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={erase.isPending} disabled={!isTyped}>
              Erase for good
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
