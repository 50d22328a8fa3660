import { Button, Group, Modal, SimpleGrid, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useSend } from "#api/query.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { LeaveGuard } from "#parts/page/leave-guard.tsx";
import { spelled } from "#parts/show/words.ts";
import { type Lead, OWN } from "./contact-drawer.tsx";

/** Shown to be filled in, also where they are empty. */
const USUAL = ["first_name", "last_name", "email", "city", "state", "zip_code", "company_name", "time_zone", "notes"];

type Values = Record<string, string>;

/** Changes fields of a contact; one that is emptied is taken away. */
export function EditContact({ lead, close }: { lead: Lead; close: () => void }) {
  const stored = lead as Record<string, unknown>;
  const further = Object.keys(lead).filter((name) => !OWN.includes(name) && !USUAL.includes(name));
  const names = ["phone_number", ...USUAL, ...further];
  const [added, setAdded] = useState<string[]>([]);
  const [newName, setNewName] = useState("");
  const form = useForm<Values>({
    initialValues: Object.fromEntries(names.map((name) => [name, String(stored[name] ?? "")])),
  });
  const update = useSend(
    "PATCH /v1/contacts/leads/:lead_id",
    [
      "GET /v1/contacts/leads",
      "GET /v1/contacts/leads/:lead_id",
      "GET /v1/contacts/lists/:list_id/leads",
      "GET /v1/contactability",
    ],
    { isShown: true },
  );
  const addField = () => {
    const name = newName.trim().toLowerCase().replace(/\W+/g, "_");
    if (name === "" || [...names, ...added].includes(name)) return;
    form.setFieldValue(name, "");
    setAdded([...added, name]);
    setNewName("");
  };
  const isDirty = form.isDirty();
  return (
    <Modal
      opened
      onClose={close}
      title="Edit the contact"
      size="lg"
      closeOnClickOutside={!isDirty}
      closeOnEscape={!isDirty}
      withCloseButton={false}
    >
      <ServerForm
        form={form}
        submit="Save"
        cancel={close}
        send={async (values) => {
          const changed = [...names, ...added].filter((name) => (values[name] ?? "") !== String(stored[name] ?? ""));
          if (changed.length > 0) {
            const body = Object.fromEntries(changed.map((name) => [name, meant(values[name]!.trim(), stored[name])]));
            await update.mutateAsync({ params: { lead_id: lead.unique_id }, body });
            notifications.show({ message: "Saved" });
          }
          form.resetDirty();
          close();
        }}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          {[...names, ...added].map((name) => (
            <TextInput key={name} label={spelled(name)} maxLength={10_000} {...form.getInputProps(name)} />
          ))}
        </SimpleGrid>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Another field"
            placeholder="Lead score"
            value={newName}
            onChange={(event) => setNewName(event.currentTarget.value)}
          />
          <Button variant="default" disabled={newName.trim() === ""} onClick={addField}>
            Add it
          </Button>
        </Group>
      </ServerForm>
      <LeaveGuard when={isDirty && !update.isPending} text="What you changed in this contact is not saved." />
    </Modal>
  );
}

/** A field keeps its kind: a number stays one as long as it is one. Emptied it is taken away. */
function meant(text: string, before: unknown): string | number | boolean | null {
  if (text === "") return null;
  if (typeof before === "number" && Number.isFinite(Number(text))) return Number(text);
  if (typeof before === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
