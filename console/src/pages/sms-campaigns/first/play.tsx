import { Alert, Grid, Paper, Skeleton, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { useParams } from "react-router";
import { useAnswer } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { Progress } from "#pages/sms-campaigns/progress.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { ContactPhone } from "#parts/simulator/contact-phone.tsx";
import classes from "./first.module.css";

const BACK = { to: "/sms-campaigns", label: "SMS campaigns" };
const SHOWN = 20;

/** The conversations of a first campaign as they go on, and the phone of the one that is chosen. */
export function Component() {
  const { campaign_id = "" } = useParams();
  const { organization_id } = useOrganization();
  const mayPlay = useCan("send", { tenantWide: true });
  const campaign = useAnswer("GET /v1/campaigns/:campaign_id", { params: { campaign_id } });
  const threads = useAnswer("GET /v1/sms/threads", { query: { organization_id, campaign_id, limit: SHOWN } });
  const [chosen, setChosen] = useState<string>();
  const error = campaign.error ?? threads.error;
  if (error && !(campaign.data && threads.data)) {
    return (
      <>
        <PageHeader title="First campaign" back={BACK} />
        <ErrorState error={error} retry={() => void Promise.all([campaign.refetch(), threads.refetch()])} />
      </>
    );
  }
  // The one that was shown first stays, although another contact has written since.
  const all = threads.data?.threads.toSorted((a, b) => a.phone_number.localeCompare(b.phone_number));
  const open = all?.find(({ thread_id }) => thread_id === chosen) ?? all?.[0];
  const to = `/sms-campaigns/${encodeURIComponent(campaign_id)}`;
  return (
    <>
      <PageHeader
        title={campaign.data?.campaign.campaign_name ?? "First campaign"}
        back={BACK}
        about="Your agent has texted these contacts. Answer as one of them, and read what it says."
        actions={<LinkButton to={to}>Open the campaign</LinkButton>}
      />
      <Stack gap="md">
        {campaign.data ? <Progress campaign={campaign.data.campaign} /> : <Skeleton h={120} />}
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Paper p="md" component="section" aria-label="Conversations">
              <Title order={2} mb="sm">
                Conversations
              </Title>
              {all === undefined ? (
                <Skeleton h={160} />
              ) : all.length === 0 ? (
                <Text size="sm" c="dimmed">
                  They begin as soon as the first text has left.
                </Text>
              ) : (
                all.map(({ thread_id, contact_name, phone_number, status, last_message }) => (
                  <UnstyledButton
                    key={thread_id}
                    className={classes.thread}
                    aria-pressed={thread_id === open?.thread_id}
                    onClick={() => setChosen(thread_id)}
                  >
                    <span className={classes.name}>
                      {contact_name ?? formatPhone(phone_number)} <StatusBadge of="recipient" state={status} />
                    </span>
                    <Text span size="sm" c="dimmed" lineClamp={2}>
                      {last_message?.text ?? "Not texted yet"}
                    </Text>
                  </UnstyledButton>
                ))
              )}
            </Paper>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Paper p="md" component="section" aria-label="Play the contact">
              {!mayPlay ? (
                <Alert color="gray">Playing a contact takes the permission to send in all organizations.</Alert>
              ) : open === undefined ? (
                <Skeleton h="24rem" />
              ) : (
                <ContactPhone
                  key={open.thread_id}
                  threadId={open.thread_id}
                  name={open.contact_name ?? formatPhone(open.phone_number)}
                />
              )}
            </Paper>
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}
