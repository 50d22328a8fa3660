import { Alert, Anchor, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { messageOf } from "#api/error.ts";
import { useSend } from "#api/query.ts";
import { useSession } from "#api/session.ts";
import { type Agent, type Body, variablesOf } from "./draft.ts";

/** Whose phone tests go to; of this browser. */
const PHONE_ITEM = "parley-my-phone";

/** Texts the first message to one's own phone, as a campaign of one: whoever answers it converses with the agent. */
export function SendTest({
  isOpen,
  close,
  agent,
  name,
  body,
}: {
  isOpen: boolean;
  close: () => void;
  agent: Agent;
  name: string;
  body: () => Body;
}) {
  const { mode } = useSession();
  const [phone, setPhone] = useState(() => localStorage.getItem(PHONE_ITEM) ?? "");
  const [values, setValues] = useState<Record<string, string>>({});
  const [made, setMade] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const send = useSend("POST /v1/campaigns", ["GET /v1/campaigns"], { isShown: true });
  const variables = variablesOf(agent.starting_message ?? "");

  const go = async () => {
    setFailure(undefined);
    setMade(undefined);
    const { list_id: _, from_campaign: __, campaign_begin_time: ___, campaign_end_time: ____, ...rest } = body();
    try {
      const { campaign_id } = await send.mutateAsync({
        body: { ...rest, campaign_name: `Test: ${name}`, contacts: [{ phone_number: phone, ...values }] },
      });
      localStorage.setItem(PHONE_ITEM, phone);
      setMade(campaign_id);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title="Send a test to me">
      <Stack>
        <Text size="sm" c="dimmed">
          {mode === "test"
            ? "The simulator: the text goes to a simulated phone of this number. Open it in the phone simulator."
            : "The first text goes to this phone, as a campaign of one. The law's hours hold for it, too."}
        </Text>
        <TextInput
          label="Phone number"
          inputMode="tel"
          autoComplete="tel"
          placeholder="+12125550101"
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
        {variables.map((variable) => (
          <TextInput
            key={variable}
            label={variable.replaceAll("_", " ")}
            description={`For {{${variable}}} in the text`}
            value={values[variable] ?? ""}
            onChange={(event) => setValues({ ...values, [variable]: event.currentTarget.value })}
          />
        ))}
        {failure && (
          <Alert color="red" role="alert">
            {failure}
          </Alert>
        )}
        {made && (
          <Alert color="teal" role="status">
            It is on its way.{" "}
            <Anchor component={Link} size="sm" underline="always" to={`/sms-campaigns/${encodeURIComponent(made)}`}>
              See the test
            </Anchor>
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button onClick={go} loading={send.isPending} disabled={phone.trim() === ""}>
            Send
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
