import { Alert, Button, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { ServerForm } from "#parts/form/server-form.tsx";
import { IconPencil } from "#parts/icons/tabler.ts";
import { AT_ONCE, instant, localOf, WindowFields } from "./schedule.tsx";

type Hours = { start: string; end: string; days: number[] };

/** What may be changed of a campaign of either kind, by the API's names. */
export type EditedCampaign = {
  campaign_name: string | null;
  objective: string | null;
  campaign_begin_time: string | null;
  campaign_end_time: string | null;
  calling_window: Hours | null;
};
export type CampaignChanges = Partial<{
  campaign_name: string;
  objective: string | null;
  campaign_begin_time: string;
  campaign_end_time: string;
  calling_window: Hours | null;
}>;

type Editing = {
  campaign: EditedCampaign;
  /** Of a campaign that goes on only the name may be changed; one that has not begun may begin later. */
  stage: "not_begun" | "paused" | "going_on";
  verb: "Texts" | "Calls";
  save: (changes: CampaignChanges) => Promise<unknown>;
};

/** The button that changes a campaign, and its form. */
export function EditCampaign(editing: Editing) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Edit the campaign" size="lg">
        {isOpen && <Form {...editing} close={() => setOpen(false)} />}
      </Modal>
    </>
  );
}

function Form({ campaign, stage, verb, save, close }: Editing & { close: () => void }) {
  const { calling_window: hours } = campaign;
  const form = useForm({
    initialValues: {
      campaign_name: campaign.campaign_name ?? "",
      objective: campaign.objective ?? "",
      campaign_begin_time: localOf(campaign.campaign_begin_time),
      campaign_end_time: localOf(campaign.campaign_end_time),
      calling_window: {
        hasWindow: hours !== null,
        from: hours?.start ?? AT_ONCE.from,
        until: hours?.end ?? AT_ONCE.until,
        days: hours?.days ?? AT_ONCE.days,
      },
    },
    validate: {
      campaign_name: (name) => (name.trim() === "" ? "Enter a name" : null),
      campaign_begin_time: (begin) => (begin === "" && campaign.campaign_begin_time ? "Enter when it begins" : null),
      campaign_end_time: (end) => (end === "" && campaign.campaign_end_time ? "Enter when it ends" : null),
    },
  });
  const send = async (values: typeof form.values) => {
    await save(changesOf(values, form.getInitialValues()));
    notifications.show({ message: "The campaign is changed.", color: "teal" });
    close();
  };
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <ServerForm form={form} send={send} submit="Save" cancel={close}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps("campaign_name")} />
      {stage === "going_on" ? (
        <Alert color="gray">Objective, times and hours can be changed while the campaign is paused.</Alert>
      ) : (
        <>
          <Textarea label="Objective" autosize minRows={2} maxLength={2_000} {...form.getInputProps("objective")} />
          {stage === "not_begun" && (
            <TextInput
              type="datetime-local"
              label="Begin at"
              description={`In your zone, ${zone}`}
              {...form.getInputProps("campaign_begin_time")}
            />
          )}
          <TextInput
            type="datetime-local"
            label="End at"
            description={`Whoever has not been reached by then is skipped. In your zone, ${zone}.`}
            {...form.getInputProps("campaign_end_time")}
          />
          <Stack gap="sm">
            <WindowFields
              verb={verb}
              value={form.values.calling_window}
              onChange={(some) => form.setFieldValue("calling_window", { ...form.values.calling_window, ...some })}
              errors={form.errors as Record<string, string>}
            />
          </Stack>
        </>
      )}
    </ServerForm>
  );
}

type Values = {
  campaign_name: string;
  objective: string;
  campaign_begin_time: string;
  campaign_end_time: string;
  calling_window: { hasWindow: boolean; from: string; until: string; days: number[] };
};

/** The API's fields of what is not as it was: a moment loses its seconds in a form, and is left alone unless it was changed. */
function changesOf(now: Values, before: Values): CampaignChanges {
  const { hasWindow, from, until, days } = now.calling_window;
  const has = (name: keyof Values) => JSON.stringify(now[name]) !== JSON.stringify(before[name]);
  return {
    ...(has("campaign_name") ? { campaign_name: now.campaign_name } : {}),
    ...(has("objective") ? { objective: now.objective.trim() || null } : {}),
    ...(has("campaign_begin_time") && now.campaign_begin_time !== ""
      ? { campaign_begin_time: instant(now.campaign_begin_time) }
      : {}),
    ...(has("campaign_end_time") && now.campaign_end_time !== ""
      ? { campaign_end_time: instant(now.campaign_end_time) }
      : {}),
    ...(has("calling_window") ? { calling_window: hasWindow ? { start: from, end: until, days } : null } : {}),
  };
}
