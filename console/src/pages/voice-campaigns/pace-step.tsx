import { Checkbox, Group, NumberInput, Stack } from "@mantine/core";
import { wordOf } from "#parts/show/words.ts";
import type { Draft, RetryOn } from "./draft.ts";

const OUTCOMES: readonly RetryOn[] = ["no_answer", "busy", "failed", "voicemail"];

/** How fast it dials, and who is called again. */
export function PaceStep({
  draft,
  edit,
  errors,
}: {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const number = (name: "perSecond" | "atOnce" | "attempts" | "delayMinutes") => (value: string | number) =>
    edit({ [name]: typeof value === "number" ? value : Number(value) || 0 });
  return (
    <Stack gap="lg" maw={560}>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NumberInput
          label="Calls a second"
          description="How many are dialled, at most."
          min={0.01}
          max={1000}
          value={draft.perSecond}
          onChange={number("perSecond")}
          error={errors.calls_per_second}
        />
        <NumberInput
          label="Calls at once"
          description="How many go on at the same time, at most."
          min={1}
          max={10000}
          allowDecimal={false}
          value={draft.atOnce}
          onChange={number("atOnce")}
          error={errors.max_concurrent_calls}
        />
      </Group>
      <Checkbox
        label="Retry unanswered calls"
        description="Within the hours, and as often as the law allows."
        checked={draft.isRedialled}
        onChange={(event) => edit({ isRedialled: event.currentTarget.checked })}
      />
      {draft.isRedialled && (
        <Stack gap="md" pl={{ base: 0, xs: 28 }}>
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <NumberInput
              label="Calls to one contact"
              description="At most, with the first."
              min={1}
              max={10}
              allowDecimal={false}
              value={draft.attempts}
              onChange={number("attempts")}
              error={errors["redial_config.max_attempts"]}
            />
            <NumberInput
              label="Minutes in between"
              description="At least."
              min={1}
              max={10080}
              allowDecimal={false}
              value={draft.delayMinutes}
              onChange={number("delayMinutes")}
              error={errors["redial_config.retry_delay_minutes"]}
            />
          </Group>
          <Checkbox.Group
            label="Call again after"
            value={draft.retryOn}
            onChange={(retryOn) => edit({ retryOn: retryOn as RetryOn[] })}
            error={errors["redial_config.retry_on"]}
          >
            <Group gap="lg" mt="xs">
              {OUTCOMES.map((outcome) => (
                <Checkbox key={outcome} value={outcome} label={wordOf("result", outcome).label} />
              ))}
            </Group>
          </Checkbox.Group>
        </Stack>
      )}
    </Stack>
  );
}
