import { NumbersField } from "#parts/campaigns/number.tsx";
import { SetupFields } from "#parts/campaigns/setup-fields.tsx";
import type { Draft } from "./draft.ts";

/** Who calls, from which numbers, and what it is to achieve. */
export function SetupStep({
  draft,
  edit,
  errors,
}: {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  errors: Readonly<Record<string, string>>;
}) {
  const ofPool = Object.entries(errors).find(([field]) => field.startsWith("agent_outbound_number"))?.[1];
  return (
    <SetupFields
      draft={draft}
      edit={edit}
      errors={errors}
      agent={{ type: "voice", description: "Who talks with the contacts.", error: errors.voice_agent_id }}
      numbers={
        <NumbersField
          label="Numbers"
          description="Choose one or several. Each contact is called from one of its area code, or the least used; one that rests is left out."
          value={draft.numbers}
          onChange={(numbers) => edit({ numbers })}
          error={ofPool}
        />
      }
      goal="a call"
    />
  );
}
