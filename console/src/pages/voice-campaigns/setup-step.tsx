import { TagsInput } from "@mantine/core";
import { NumberHint, useOwnNumbers } from "#parts/campaigns/number.tsx";
import { SetupFields } from "#parts/campaigns/setup-fields.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
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
  const numbers = useOwnNumbers();
  const ofPool = Object.entries(errors).find(([field]) => field.startsWith("agent_outbound_number"))?.[1];
  return (
    <SetupFields
      draft={draft}
      edit={edit}
      errors={errors}
      agent={{ type: "voice", description: "Who talks with the contacts.", error: errors.voice_agent_id }}
      numbers={
        <TagsInput
          label="Numbers"
          description={
            <NumberHint text="Calls come from these in turns. Choose one or several, or type one and press Enter." />
          }
          required
          placeholder={draft.numbers.length === 0 ? "+12125550100" : ""}
          data={numbers}
          renderOption={({ option }) => formatPhone(option.value)}
          value={draft.numbers}
          onChange={(chosen) => edit({ numbers: chosen })}
          splitChars={[",", ";"]}
          acceptValueOnBlur
          maxTags={100}
          error={ofPool}
        />
      }
      goal="a call"
    />
  );
}
