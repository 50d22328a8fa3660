import { Modal, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSend } from "#api/query.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import type { Campaign } from "./thread-menu.tsx";

const STALE = [
  "GET /v1/sms/threads/:thread_id",
  "GET /v1/sms/threads",
  "GET /v1/dnc",
  "GET /v1/contactability",
  "GET /v1/consents/:phone_number",
] as const;

/** Puts the number on the do-not-call list: no text and no call, from any campaign of the organization. */
export function StopModal({
  phone,
  campaign,
  isOpen,
  close,
}: {
  phone: string;
  campaign: Campaign | undefined;
  isOpen: boolean;
  close: () => void;
}) {
  const add = useSend("POST /v1/dnc/add", STALE, { isShown: true });
  const form = useForm({ initialValues: { reason: "" } });
  const send = async ({ reason }: { reason: string }) => {
    await add.mutateAsync({
      body: {
        phone_number: phone,
        ...(campaign ? { organization_id: campaign.organization_id } : {}),
        ...(reason.trim() ? { reason } : {}),
      },
    });
    close();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={`Never contact ${formatPhone(phone)} again?`}>
      <ServerForm form={form} send={send} submit="Never contact again" cancel={close}>
        <Text size="sm">
          The number goes on the do-not-call list: no campaign of this organization texts or calls it any more. It can
          be taken off the list there.
        </Text>
        <TextInput
          label="Why"
          placeholder="Asked me to stop on the phone"
          maxLength={500}
          data-autofocus
          {...form.getInputProps("reason")}
        />
      </ServerForm>
    </Modal>
  );
}
