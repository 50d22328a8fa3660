import { Button, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { PasteField } from "#parts/campaigns/audience.tsx";
import { readPasted } from "#parts/contact-table/pasted.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { type Draft, SIMULATED } from "./draft.ts";

const PUT_IN = "Put in three simulated contacts";

/** Who is texted: pasted names and numbers, or simulated phones for who has none at hand. */
export function ContactsStep({
  draft,
  edit,
  error,
}: {
  draft: Draft;
  edit: (some: Partial<Draft>) => void;
  error: string | undefined;
}) {
  const pasted = useMemo(() => readPasted(draft.text), [draft.text]);
  const putIn = () => edit({ text: SIMULATED });
  return (
    <Stack gap="md">
      <Group gap="sm">
        {draft.text.trim() === "" || draft.text === SIMULATED ? (
          <Button variant="default" onClick={putIn}>
            {PUT_IN}
          </Button>
        ) : (
          <ConfirmButton
            title="Replace your contacts?"
            text="The three simulated contacts take the place of what you have entered."
            confirm="Replace"
            onConfirm={async () => putIn()}
          >
            {PUT_IN}
          </ConfirmButton>
        )}
        <Text size="sm" c="dimmed">
          No real phone is texted in the simulator, whichever numbers you paste.
        </Text>
      </Group>
      <PasteField value={draft.text} pasted={pasted} onChange={(text) => edit({ text })} error={error} />
    </Stack>
  );
}
