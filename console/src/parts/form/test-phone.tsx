import { Alert, Anchor, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#api/error.ts";
import { useSession } from "#api/session.ts";

/** Whose phone tests go to; of this browser. */
const PHONE_ITEM = "parley-my-phone";

/** Asks for one's own phone and tries something out on it. */
export function TestPhone({
  isOpen,
  close,
  title,
  simulated,
  live,
  send,
  verb,
  done,
  children,
}: {
  isOpen: boolean;
  close: () => void;
  title: string;
  /** What will happen, in the simulator and on a live phone. */
  simulated: string;
  live: string;
  /** Answers where what was made can be seen. */
  send: (phone: string) => Promise<string>;
  verb: string;
  /** Said when it is under way, and of the link to it. */
  done: readonly [said: string, link: string];
  /** More fields. */
  children?: ReactNode;
}) {
  const { mode } = useSession();
  const [phone, setPhone] = useState(() => localStorage.getItem(PHONE_ITEM) ?? "");
  const [isSending, setSending] = useState(false);
  const [made, setMade] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const go = async () => {
    setFailure(undefined);
    setMade(undefined);
    setSending(true);
    try {
      setMade(await send(phone));
      localStorage.setItem(PHONE_ITEM, phone);
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <Stack>
        <Text size="sm" c="dimmed">
          {mode === "test" ? `The simulator: ${simulated}` : `${live} The law's hours hold for it, too.`}
        </Text>
        <TextInput
          label="Phone number"
          inputMode="tel"
          autoComplete="tel"
          placeholder="+12125550101"
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
        {children}
        {failure && (
          <Alert color="red" role="alert">
            {failure}
          </Alert>
        )}
        {made && (
          <Alert color="teal" role="status">
            {done[0]}{" "}
            <Anchor component={Link} size="sm" underline="always" to={made}>
              {done[1]}
            </Anchor>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button onClick={go} loading={isSending} disabled={phone.trim() === ""}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
