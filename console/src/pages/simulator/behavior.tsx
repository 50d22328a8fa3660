import { Modal, NumberInput, Select, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useSend } from "#api/query.ts";
import { ServerForm } from "#parts/form/server-form.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { STALE_BY_SCRIPT } from "./feed.ts";
import { BEHAVIORS, type BehaviorName, scriptOf } from "./scripts.ts";

const GROUPS = BEHAVIORS.map(({ group, items }) => ({ group, items: [...items] }));

type Values = { behavior: string; says: string; answer_delay_s: number | string };
const NOTHING: Values = { behavior: "", says: "", answer_delay_s: "" };

/** What a phone is to do from now on, in place of its number's script. */
export function Behavior({ phone, isOpen, close }: { phone: string; isOpen: boolean; close: () => void }) {
  const save = useSend("PUT /v1/simulator/handsets/:phone_number", STALE_BY_SCRIPT, { isShown: true });
  const form = useForm<Values>({ initialValues: NOTHING });
  const [saved, setSaved] = useState(false);
  const script = scriptOf(phone);
  const leave = () => {
    setSaved(false);
    close();
  };
  const send = async ({ behavior, says, answer_delay_s }: Values) => {
    const lines = says.split("\n").filter((line) => line.trim() !== "");
    await save.mutateAsync({
      params: { phone_number: phone },
      body: {
        ...(behavior ? { behavior: behavior as BehaviorName } : {}),
        ...(lines.length > 0 ? { says: lines } : {}),
        ...(answer_delay_s === "" ? {} : { answer_delay_ms: Math.round(Number(answer_delay_s) * 1_000) }),
      },
    });
    setSaved(true);
  };
  return (
    <Modal opened={isOpen} onClose={leave} title={`What ${formatPhone(phone)} does`}>
      <ServerForm
        form={form}
        send={send}
        submit="Save"
        cancel={leave}
        fieldOf={(name) => (name === "answer_delay_ms" ? "answer_delay_s" : name.split(".")[0]!)}
      >
        <Select
          label="Behaviour"
          description={
            script ? `By default: ${script.title.toLowerCase()}.` : "By default it takes texts and answers calls."
          }
          placeholder="As its number says"
          data={GROUPS}
          clearable
          {...form.getInputProps("behavior")}
          value={form.values.behavior || null}
          onChange={(value) => form.setFieldValue("behavior", value ?? "")}
        />
        <Textarea
          label="What it says"
          description="A line for each answer: one for each text it gets, or each time the agent has spoken."
          placeholder={"Who is this?\nOkay, tell me more"}
          autosize
          minRows={3}
          {...form.getInputProps("says")}
        />
        <NumberInput
          label="Takes its time, in seconds"
          description="Before it answers a text; how long it rings before it takes a call."
          min={0}
          max={86_400}
          {...form.getInputProps("answer_delay_s")}
        />
        <Text size="xs" c="dimmed" role="status">
          {saved ? "Saved. It holds from the next text or call on." : "Saving replaces its earlier behavior."}
        </Text>
      </ServerForm>
    </Modal>
  );
}
