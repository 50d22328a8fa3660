import { Button, Group, Skeleton, Stack, Tabs } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { contactName } from "#parts/form/contact-fields.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { DetailDrawer } from "#parts/page/detail-drawer.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { spelled, valueWords } from "#parts/show/words.ts";
import { ConsentTab } from "./consent-tab.tsx";
import { EditContact } from "./edit-contact.tsx";
import { EraseContact } from "./erase-contact.tsx";
import { EvidenceTab } from "./evidence-tab.tsx";
import { LineOf } from "./line.tsx";
import { MayWe } from "./may-we.tsx";
import { Timeline } from "./timeline.tsx";

export type Lead = Answer<"GET /v1/contacts/leads/:lead_id">["lead"];

/** All about one contact. */
export function ContactDrawer({ id, close }: { id: string | undefined; close: () => void }) {
  const answer = useAnswer(
    "GET /v1/contacts/leads/:lead_id",
    id === undefined ? undefined : { params: { lead_id: id } },
  );
  const lead = answer.data?.lead;
  const title = lead ? (contactName(lead) ?? formatPhone(lead.phone_number)) : "Contact";
  return (
    <DetailDrawer title={title} isOpen={id !== undefined} close={close}>
      {lead ? (
        <Detail key={lead.unique_id} lead={lead} line={answer.data?.line ?? null} close={close} />
      ) : answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Skeleton h={240} />
      )}
    </DetailDrawer>
  );
}

type Line = Answer<"GET /v1/contacts/leads/:lead_id">["line"];

function Detail({ lead, line, close }: { lead: Lead; line: Line; close: () => void }) {
  const mayEdit = useCan("write", { byAgents: true });
  const mayErase = useCan("write");
  const mayProve = useCan("admin", { tenantWide: true });
  const [open, setOpen] = useState<"edit" | "erase">();
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <PhoneNumber number={lead.phone_number} />
        <Group gap="sm">
          {mayEdit && (
            <Button variant="default" onClick={() => setOpen("edit")}>
              Edit
            </Button>
          )}
          {mayErase && (
            <Button variant="default" onClick={() => setOpen("erase")}>
              Erase
            </Button>
          )}
          <CopyAsCurl operation="GET /v1/contacts/leads/:lead_id" args={{ params: { lead_id: lead.unique_id } }} />
        </Group>
      </Group>
      <MayWe phone={lead.phone_number} />
      <LineOf line={line} phone={lead.phone_number} />
      <Tabs defaultValue="timeline" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="timeline">Texts and calls</Tabs.Tab>
          <Tabs.Tab value="fields">Fields</Tabs.Tab>
          <Tabs.Tab value="consent">Consent</Tabs.Tab>
          {mayProve && <Tabs.Tab value="evidence">Evidence</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="timeline">
          <Timeline lead={lead} />
        </Tabs.Panel>
        <Tabs.Panel value="fields">
          <Fields items={itemsOf(lead)} />
        </Tabs.Panel>
        <Tabs.Panel value="consent">
          <ConsentTab phone={lead.phone_number} />
        </Tabs.Panel>
        <Tabs.Panel value="evidence">
          <EvidenceTab lead={lead} />
        </Tabs.Panel>
      </Tabs>
      {open === "edit" && <EditContact lead={lead} close={() => setOpen(undefined)} />}
      {open === "erase" && <EraseContact lead={lead} close={() => setOpen(undefined)} onErased={close} />}
    </Stack>
  );
}

/** Ours to say: shown in words of their own, and never edited. */
export const OWN = ["unique_id", "organization_id", "phone_number", "created_at", "updated_at"];

const itemsOf = (lead: Lead) => [
  ...Object.entries(lead)
    .filter(([name, value]) => !OWN.includes(name) && value !== "")
    .map(([name, value]) => [spelled(name), valueWords(value)] as const),
  ["Known since", <Time key="since" at={lead.created_at} exact />] as const,
  ["Changed", <Time key="changed" at={lead.updated_at} exact />] as const,
];
