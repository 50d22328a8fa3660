import { Button, Modal, Select, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useSend } from "#api/query.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { OVERLAPS } from "./key-words.ts";
import type { MadeKey } from "./new-key.tsx";

/** Replaces a key, and says how long the old one works beside the new one. */
export function RotateKey({ keyId, done }: { keyId: string; done: (made: MadeKey) => void }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const rotate = useSend("POST /v1/api-keys/:key_id/rotate", ["GET /v1/api-keys"], { isShown: true });
  const form = useForm({ initialValues: { overlap_seconds: "86400" } });
  return (
    <>
      <Button variant="default" onClick={open}>
        Rotate
      </Button>
      <Modal opened={isOpen} onClose={close} title="Replace this key?" closeButtonProps={{ "aria-label": "Close" }}>
        <ServerForm
          form={form}
          submit="Make the new key"
          cancel={close}
          send={async ({ overlap_seconds }) => {
            const body = { overlap_seconds: Number(overlap_seconds) };
            const { replaces, ...made } = await rotate.mutateAsync({ params: { key_id: keyId }, body });
            close();
            done({ ...made, oldWorksUntil: body.overlap_seconds === 0 ? undefined : replaces.expires_at });
          }}
        >
          <Text size="sm">You get a new key with the same powers, from the same addresses and with the same end.</Text>
          <Select
            label="The old one works on"
            description="As long as you need to change your programs"
            data={OVERLAPS}
            allowDeselect={false}
            {...form.getInputProps("overlap_seconds")}
          />
        </ServerForm>
      </Modal>
    </>
  );
}
