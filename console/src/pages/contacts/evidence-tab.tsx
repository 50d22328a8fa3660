import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { pathOf } from "#api/client.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { IconDownload } from "#parts/icons/tabler.ts";
import type { Lead } from "./contact-drawer.tsx";

/** All that is on record about a contact, as one signed archive. */
export function EvidenceTab({ lead }: { lead: Lead }) {
  const [recordings, setRecordings] = useState(false);
  const args = { params: { lead_id: lead.unique_id }, query: recordings ? { recordings: true } : {} };
  return (
    <Stack gap="md">
      <Text size="sm">
        One signed archive of all that is on record about this contact: consents with their proofs, every decision with
        its rule, texts, calls, opt-outs in the contact’s words, and the hash chains that it was written down in. It
        opens in a browser, and anybody can check that nothing of it was changed.
      </Text>
      <Checkbox
        label="With the recordings of calls"
        checked={recordings}
        onChange={(event) => setRecordings(event.currentTarget.checked)}
      />
      <Group gap="sm">
        <Button
          component="a"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          href={pathOf("GET /v1/contacts/:lead_id/evidence", args)}
          download
        >
          Download the evidence
        </Button>
        <CopyAsCurl operation="GET /v1/contacts/:lead_id/evidence" args={args} />
      </Group>
      <Text size="xs" c="dimmed">
        That you downloaded it is noted in the audit log.
      </Text>
    </Stack>
  );
}
