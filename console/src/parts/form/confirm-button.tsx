import { Button, type ButtonProps, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { messageOf } from "#api/error.ts";

/** A button for what cannot be taken back: it says what will happen, and asks. `confirm` is what the second button says. */
export function ConfirmButton({
  children,
  title,
  text,
  confirm,
  onConfirm,
  color = "red",
  ...props
}: ButtonProps & {
  children: ReactNode;
  title: string;
  text: ReactNode;
  confirm: string;
  onConfirm: () => Promise<unknown>;
}) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const run = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      close();
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant="default" {...props} onClick={open}>
        {children}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Stack>
          <Text component="div">{text}</Text>
          {failure && (
            <Text c="red" role="alert">
              {failure}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color={color} loading={isBusy} onClick={run}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
