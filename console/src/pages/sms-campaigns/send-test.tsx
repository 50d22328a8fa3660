import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useSend } from "#api/query.ts";
import { TestPhone } from "#parts/form/test-phone.tsx";
import { type Agent, type Body, variablesOf } from "./draft.ts";

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
  const [values, setValues] = useState<Record<string, string>>({});
  const send = useSend("POST /v1/campaigns", ["GET /v1/campaigns"], { isShown: true });
  return (
    <TestPhone
      isOpen={isOpen}
      close={close}
      title="Send a test to me"
      simulated="the text goes to a simulated phone of this number. Open it in the phone simulator."
      live="The first text goes to this phone, as a campaign of one."
      verb="Send"
      done={["It is on its way.", "See the test"]}
      send={async (phone) => {
        const { list_id: _, from_campaign: __, campaign_begin_time: ___, campaign_end_time: ____, ...rest } = body();
        const { campaign_id } = await send.mutateAsync({
          body: { ...rest, campaign_name: `Test: ${name}`, contacts: [{ phone_number: phone, ...values }] },
        });
        return `/sms-campaigns/${encodeURIComponent(campaign_id)}`;
      }}
    >
      {variablesOf(agent.starting_message ?? "").map((variable) => (
        <TextInput
          key={variable}
          label={variable.replaceAll("_", " ")}
          description={`For {{${variable}}} in the text`}
          value={values[variable] ?? ""}
          onChange={(event) => setValues({ ...values, [variable]: event.currentTarget.value })}
        />
      ))}
    </TestPhone>
  );
}
