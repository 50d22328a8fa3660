import { Alert, Button, Group, Paper } from "@mantine/core";
import type { ReactNode } from "react";
import { PageHeader } from "#parts/page/page-header.tsx";
import { AudienceField, isChosen } from "./audience.tsx";
import { CheckStep } from "./check.tsx";
import { NOBODY } from "./errors.ts";
import { Launch } from "./launch.tsx";
import type { CampaignDraft } from "./new-draft.ts";
import { ScheduleFields } from "./schedule.tsx";
import { type Step, Steps } from "./steps.tsx";
import type { CampaignKind, useWizard } from "./wizard.tsx";

/** The form of a new campaign, step by step, with the launch at its end. */
export function WizardSteps<Draft extends CampaignDraft, Preflight>({
  kind,
  of: wizard,
  isLaunching,
  setup,
  verb,
  missing,
  launch,
  underSchedule,
  more = [],
  view,
  actions,
  curl,
}: {
  kind: CampaignKind;
  of: ReturnType<typeof useWizard<Draft, Preflight>>;
  isLaunching: boolean;
  setup: ReactNode;
  /** What is done at its times: "Texts", "Calls". */
  verb: string;
  /** What a campaign cannot do without and has not got in its first step, by the API's names; false for what is there. */
  missing: Readonly<Record<string, string | false>>;
  /** What the launch does to how many: "Text" and the people whom the check found. */
  launch: { verb: "Text" | "Call"; people: (preflight: Preflight) => number };
  underSchedule?: ReactNode;
  /** Steps between the schedule and the check. */
  more?: readonly Step[];
  view: (preflight: Preflight) => ReactNode;
  /** Beside `curl`, where the API has not refused. */
  actions?: ReactNode;
  /** The launch as a line for a shell; left out for contacts that were pasted. */
  curl: () => ReactNode;
}) {
  const { draft, errors, failure, isFound, startOver } = wizard;
  const edit = (some: Partial<CampaignDraft>) => wizard.edit(some as Partial<Draft>);
  const steps: Step[] = [
    { key: "setup", title: "Set up", content: setup, passes: () => wizard.passes(missing) },
    {
      key: "audience",
      title: "Audience",
      passes: () => wizard.passes({ [wizard.audienceField]: !isChosen(draft.audience) && NOBODY }),
      content: (
        <AudienceField
          value={draft.audience}
          onChange={(audience) => edit({ audience })}
          error={wizard.audienceError}
        />
      ),
    },
    {
      key: "schedule",
      title: "Schedule",
      content: (
        <>
          <ScheduleFields
            verb={verb}
            value={draft.schedule}
            onChange={(schedule) => edit({ schedule })}
            errors={errors}
          />
          {underSchedule}
        </>
      ),
    },
    ...more,
    {
      key: "check",
      title: "Check and launch",
      content: (
        <CheckStep
          check={wizard.check}
          failure={failure}
          view={view}
          actions={
            failure === undefined && (
              <>
                {actions}
                {draft.audience.kind !== "paste" && curl()}
              </>
            )
          }
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader title={kind.title} back={kind.back} />
      {isFound && (
        <Alert mb="md" py="xs" color="gray">
          <Group justify="space-between">
            What you had filled in is still here.
            <Button size="compact-xs" variant="default" onClick={startOver}>
              Start over
            </Button>
          </Group>
        </Alert>
      )}
      <Paper p={{ base: "md", xs: "xl" }} maw={880}>
        <Steps
          steps={steps}
          last={
            <Launch
              {...launch}
              count={
                wizard.checked && (failure === undefined || failure.isLost) ? launch.people(wizard.checked) : undefined
              }
              isBusy={isLaunching}
              start={wizard.start}
            />
          }
        />
      </Paper>
    </>
  );
}
