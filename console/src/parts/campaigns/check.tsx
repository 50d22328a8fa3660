import { Alert, Anchor, Group, Loader, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useSearchParams } from "react-router";
import type { CampaignFailure } from "./errors.ts";

const STEPS: Readonly<Record<string, string>> = {
  setup: "Set up",
  audience: "Audience",
  schedule: "Schedule",
  pace: "Pace and redial",
};

const FIELDS: Readonly<Record<string, string>> = {
  campaign_name: "The name",
  sms_agent_id: "The agent",
  svc_sms_number: "The sender",
  media_urls: "The address of a picture",
  voice_agent_id: "The voice agent",
  outbound_number: "The number that calls come from",
  agent_outbound_number: "The number that calls come from",
  contacts: "The audience",
  leads: "The audience",
  campaign_begin_time: "The begin",
  campaign_end_time: "The end",
};

/** In which step a field of the API's is. */
function stepOf(field: string): string {
  if (/^(contacts|leads|list_id|from_campaign)/.test(field)) return "audience";
  if (/^(campaign_begin_time|campaign_end_time|calling_window)/.test(field)) return "schedule";
  return /^(calls_per_second|max_concurrent_calls|redial)/.test(field) ? "pace" : "setup";
}

/** "Choose an agent" is a sentence; "must be a number" needs its subject. */
const isWish = (message: string): boolean => /^(Choose|Enter) /.test(message);

/** The last step of a campaign's wizard: what launching would do, or what keeps it from being launched and where that is. */
export function CheckStep<Preflight>({
  check,
  failure,
  view,
  actions,
}: {
  /** Undefined when the API refused; `failure` says why then. */
  check: () => Promise<Preflight | undefined>;
  failure: CampaignFailure | undefined;
  view: (preflight: Preflight) => ReactNode;
  actions?: ReactNode;
}) {
  const [search, setSearch] = useSearchParams();
  const [state, setState] = useState<{ isBusy: boolean; preflight?: Preflight | undefined }>({ isBusy: true });
  const run = useEffectEvent(async () => setState({ isBusy: false, preflight: await check() }));
  useEffect(() => void run(), []);
  const goTo = (step: string) => {
    const after = new URLSearchParams(search);
    after.set("step", step);
    setSearch(after);
  };

  if (state.isBusy) {
    return (
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm">Checking everybody in the audience: this may take some seconds.</Text>
      </Group>
    );
  }
  return (
    <Stack gap="lg">
      {failure !== undefined && (
        <Alert color="red" role="alert">
          <Text size="sm" fw={600}>
            This cannot be launched yet
          </Text>
          {Object.keys(failure.fields).length === 0 && <Text size="sm">{failure.message}</Text>}
          {Object.entries(failure.fields).map(([field, message]) => (
            <Text size="sm" key={field}>
              <Anchor component="button" type="button" size="sm" underline="always" onClick={() => goTo(stepOf(field))}>
                {STEPS[stepOf(field)]}
              </Anchor>
              : {isWish(message) ? message : `${FIELDS[field] ?? field.replaceAll(/[._]/g, " ")} ${message}`}
            </Text>
          ))}
        </Alert>
      )}
      {state.preflight !== undefined && view(state.preflight)}
      {actions && <Group gap="sm">{actions}</Group>}
    </Stack>
  );
}
