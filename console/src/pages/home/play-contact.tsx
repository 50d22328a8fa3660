import { Paper, Skeleton, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { useAnswer } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { ContactPhone } from "#parts/simulator/contact-phone.tsx";

/** As many conversations as are looked through for one that still goes on. */
const LOOKED_AT = 20;

/** A simulated phone on the page: one texts the agent as its contact. Only in the simulator, and for who may play all phones. */
export function PlayContact() {
  const { mode } = useSession();
  const { organization_id } = useOrganization();
  const mayPlay = useCan("send", { tenantWide: true });
  const isShown = mode === "test" && mayPlay;
  const threads = useAnswer(
    "GET /v1/sms/threads",
    isShown ? { query: { organization_id, limit: LOOKED_AT } } : undefined,
  ).data?.threads;
  const first =
    threads?.find(({ status, agent_awake }) => status === "replied" && agent_awake) ??
    threads?.find(({ status }) => status !== "opted_out");
  // Whoever was shown first stays, although another contact has written meanwhile.
  const [chosen, setChosen] = useState<{ organization_id: string; thread: NonNullable<typeof first> }>();
  useEffect(() => {
    if (first && chosen?.organization_id !== organization_id) setChosen({ organization_id, thread: first });
  }, [first, chosen, organization_id]);
  const open = chosen?.organization_id === organization_id ? chosen.thread : first;
  if (!isShown) return null;
  // As high as the phone will be, so that nothing moves when it comes.
  if (threads === undefined) return <Skeleton h="29rem" />;
  return (
    <Paper p="lg" component="section" aria-label="Play the contact">
      <Title order={2}>Play the contact</Title>
      <Text size="sm" c="dimmed" mb="md">
        Text your agent from a simulated phone, and read what it answers.
      </Text>
      {open === undefined ? (
        <LinkButton to="/sms-campaigns/new" variant="default">
          Text a first contact
        </LinkButton>
      ) : (
        <ContactPhone
          key={open.thread_id}
          threadId={open.thread_id}
          name={open.contact_name ?? formatPhone(open.phone_number)}
        />
      )}
    </Paper>
  );
}
