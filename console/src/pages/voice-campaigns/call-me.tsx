import { Alert, Anchor, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useSession } from "#api/session.ts";
import type { Campaign } from "./draft.ts";

/** Whose phone tests go to; of this browser. */
const PHONE_ITEM = "parley-my-phone";

/** Has the campaign's agent call one's own phone, as a single call beside the campaign. */
export function CallMe({ isOpen, close, campaign }: { isOpen: boolean; close: () => void; campaign: Campaign }) {
  const { mode } = useSession();
  const [phone, setPhone] = useState(() => localStorage.getItem(PHONE_ITEM) ?? "");
  const [made, setMade] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const order = useSend("POST /v1/voice/calls", [], { isShown: true });
  const go = async () => {
    setFailure(undefined);
    try {
      const { call } = await order.mutateAsync({
        body: {
          voice_agent_id: campaign.voice_agent_id,
          from_number: campaign.agent_outbound_number,
          to_number: phone,
          organization_id: campaign.organization_id,
          ...(campaign.objective ? { objective: campaign.objective } : {}),
        },
      });
      localStorage.setItem(PHONE_ITEM, phone);
      setMade(call.call_id);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title="Call me as a test">
      <Stack>
        <Text size="sm" c="dimmed">
          {mode === "test"
            ? "The simulator: a simulated phone of this number rings. Answer it in the phone simulator."
            : "This phone rings, and the agent talks as it does in the campaign. The law's hours hold for it, too."}
        </Text>
        <TextInput
          label="Phone number"
          inputMode="tel"
          autoComplete="tel"
          placeholder="+12125550101"
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
        {failure && (
          <Alert color="red" role="alert">
            {failure}
          </Alert>
        )}
        {made && (
          <Alert color="teal" role="status">
            It is being dialled.{" "}
            <Anchor component={Link} size="sm" underline="always" to={`/calls/${encodeURIComponent(made)}`}>
              See the call
            </Anchor>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button onClick={go} loading={order.isPending} disabled={phone.trim() === ""}>
            Call
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
