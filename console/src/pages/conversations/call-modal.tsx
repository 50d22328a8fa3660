import { Anchor, Group, Modal, Select, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { Link } from "react-router";
import { useAnswer, useSend } from "#api/query.ts";
import { NumberField } from "#parts/campaigns/number.tsx";
import { contactName, fieldsOf } from "#parts/form/contact-fields.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import type { ThreadData } from "./thread.tsx";
import type { Campaign, Lead } from "./thread-menu.tsx";

type Values = { agent_id: string; from_number: string; objective: string };

/** Has a voice agent call the contact now: the conversation goes on by voice. */
export function CallModal({
  thread,
  campaign,
  lead,
  isOpen,
  close,
}: {
  thread: ThreadData;
  campaign: Campaign;
  lead: Lead | undefined;
  isOpen: boolean;
  close: () => void;
}) {
  const { organization_id, voice_agent_id, outbound_number, svc_sms_number } = campaign;
  const agents = useAnswer(
    "GET /v1/agents",
    isOpen ? { query: { organization_id, agent_type: "voice" as const, limit: 100 } } : undefined,
  );
  const call = useSend("POST /v1/voice/calls", ["GET /v1/voice/calls"], { isShown: true });
  const [callId, setCallId] = useState<string>();
  const form = useForm<Values>({
    initialValues: {
      agent_id: "",
      from_number: outbound_number ?? svc_sms_number,
      objective: campaign.objective ?? "",
    },
  });
  const all = agents.data?.agents ?? [];
  const usual =
    all.find((agent) => agent.voice_agent_id === voice_agent_id || agent.agent_id === voice_agent_id) ?? all[0];
  const leave = () => {
    setCallId(undefined);
    close();
  };
  const send = async ({ agent_id, from_number, objective }: Values) => {
    const first_name = lead && fieldsOf(lead, "first_name");
    const last_name = lead && fieldsOf(lead, "last_name");
    const { call: placed } = await call.mutateAsync({
      body: {
        agent_id: agent_id || (usual?.agent_id ?? ""),
        from_number,
        to_number: thread.phone_number,
        organization_id,
        ...(objective.trim() ? { objective } : {}),
        contact: { ...(first_name ? { first_name } : {}), ...(last_name ? { last_name } : {}) },
      },
    });
    setCallId(placed.call_id);
  };
  const name = (lead && contactName(lead)) ?? formatPhone(thread.phone_number);
  return (
    <Modal opened={isOpen} onClose={leave} title={`Have an agent call ${name}`}>
      {callId !== undefined ? (
        <Stack>
          <Text size="sm">The call is placed as soon as the law and the contact's wishes allow it.</Text>
          <Group justify="flex-end">
            <Anchor component={Link} to={`/calls/${callId}`}>
              See the call
            </Anchor>
          </Group>
        </Stack>
      ) : agents.data !== undefined && all.length === 0 ? (
        <Text size="sm">
          There is no voice agent yet.{" "}
          <Anchor component={Link} to="/agents" underline="always">
            Make one
          </Anchor>{" "}
          first.
        </Text>
      ) : (
        <ServerForm form={form} send={send} submit="Call" cancel={leave}>
          <Select
            label="Voice agent"
            data={all.map(({ agent_id, agent_name }) => ({ value: agent_id, label: agent_name }))}
            value={form.values.agent_id || (usual?.agent_id ?? null)}
            onChange={(value) => form.setFieldValue("agent_id", value ?? "")}
            error={form.errors.agent_id}
            allowDeselect={false}
          />
          <NumberField
            label="From"
            value={form.values.from_number}
            onChange={(value) => form.setFieldValue("from_number", value)}
            error={form.errors.from_number as string | undefined}
          />
          <Textarea
            label="What the call is for"
            description="A call that is ordered here does not know the texts: say what the agent has to know of them."
            autosize
            minRows={3}
            maxLength={2_000}
            {...form.getInputProps("objective")}
          />
        </ServerForm>
      )}
    </Modal>
  );
}
