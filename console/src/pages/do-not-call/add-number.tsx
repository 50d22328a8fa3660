import { Modal, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useSend } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { type Scope, ScopeSelect } from "./scope-select.tsx";

/** Lists one number. */
export function AddNumber({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Never contact this number again"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Form close={close} />
    </Modal>
  );
}

function Form({ close }: { close: () => void }) {
  const { organization_id } = useOrganization();
  const add = useSend("POST /v1/dnc/add", ["GET /v1/dnc"], { isShown: true });
  const form = useForm({ initialValues: { phone_number: "", reason: "", scope: "all" as Scope } });
  return (
    <ServerForm
      form={form}
      submit="Add it"
      cancel={close}
      send={async ({ phone_number, reason, scope }) => {
        const { entry } = await add.mutateAsync({
          body: {
            phone_number,
            ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
            ...(scope === "this" ? { organization_id } : {}),
          },
        });
        notifications.show({ message: `${formatPhone(entry.phone_number)} is not contacted any more` });
        close();
      }}
    >
      <TextInput
        label="Phone number"
        type="tel"
        data-autofocus
        required
        placeholder="(212) 555-0123"
        {...form.getInputProps("phone_number")}
      />
      <TextInput label="Reason" placeholder="Asked on the phone" maxLength={500} {...form.getInputProps("reason")} />
      <ScopeSelect value={form.values.scope} onChange={(scope) => form.setFieldValue("scope", scope)} />
      <Text size="sm" c="dimmed">
        What waits to be sent to the number is withdrawn at once.
      </Text>
    </ServerForm>
  );
}
