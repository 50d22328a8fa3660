import { Button, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { PasteField } from "#parts/campaigns/audience.tsx";
import { readPasted } from "#parts/contact-table/pasted.ts";
import { type Draft, SIMULATED } from "./draft.ts";

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
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Button variant="default" onClick={() => edit({ text: SIMULATED })}>
          Put in three simulated contacts
        </Button>
        <Text size="sm" c="dimmed">
          No real phone is texted in the simulator, whichever numbers you paste.
        </Text>
      </Group>
      <PasteField value={draft.text} pasted={pasted} onChange={(text) => edit({ text })} error={error} />
    </Stack>
  );
}
