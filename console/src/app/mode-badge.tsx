import { Badge, Button, Group, Modal, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import { changeMode, useSession } from "#api/session.ts";

/** Always in sight: whether what is done here reaches simulated phones or real people. Switching asks first. */
export function ModeBadge() {
  const { mode, is_live_available } = useSession();
  const client = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const isLive = mode === "live";

  const change = async () => {
    setState({ isBusy: true });
    try {
      await changeMode(client, isLive ? "test" : "live");
      setState({ isBusy: false });
      close();
    } catch (error) {
      setState({ isBusy: false, error: messageOf(error) });
    }
  };

  return (
    <>
      <UnstyledButton
        onClick={open}
        aria-label={isLive ? "Live: real phones. Change" : "Simulator: no real phone. Change"}
      >
        <Badge color={isLive ? "red" : "gray"} variant={isLive ? "filled" : "default"} size="lg" fw={550}>
          {isLive ? "Live" : "Simulator"}
        </Badge>
      </UnstyledButton>
      <Modal opened={isOpen} onClose={close} title={isLive ? "Back to the simulator?" : "Go live?"}>
        <Stack>
          <Text>
            {isLive
              ? "From then on everything you start here reaches simulated phones only. What runs live goes on."
              : is_live_available
                ? "From then on everything you start here reaches real phones: real people, and real costs."
                : "Everything here reaches simulated phones only. Live needs a carrier or a trunk, and your permission to use it."}
          </Text>
          {state.error && (
            <Text c="red" role="alert">
              {state.error}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {isLive ? "Stay live" : "Stay in the simulator"}
            </Button>
            {(isLive || is_live_available) && (
              <Button color={isLive ? undefined : "red"} loading={state.isBusy} onClick={change}>
                {isLive ? "To the simulator" : "Go live"}
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
