import { Badge, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { pathOf } from "#api/client.ts";
import { messageOf } from "#api/error.ts";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { IconDownload, IconMessage2, IconPhone } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { spelled, valueWords } from "#parts/show/words.ts";
import { ExtractionFilters, useExtractionQuery } from "./filters.tsx";

type Extraction = Item<"GET /v1/extractions">;

/** What the API takes at once. */
const MOST_CHOSEN = 1_000;

/** What conversations and calls have found out, each with the words that prove it. */
export function Component() {
  const { query, isFiltered, showAll } = useExtractionQuery();
  const mayWrite = useCan("write");
  const list = usePages("GET /v1/extractions", "extractions", { query });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const there = list.rows.flatMap((row) => (row.channel === "sms" ? [row.id] : []));
  const current = chosen.filter((id) => there.includes(id));
  const turn = (id: string) => setChosen(current.includes(id) ? current.filter((one) => one !== id) : [...current, id]);
  const who: Column<Extraction> = {
    key: "who",
    title: "Contact",
    width: "1.3fr",
    render: (row) => (
      <Group gap="sm" wrap="nowrap">
        {mayWrite && row.channel === "sms" && (
          <Checkbox
            size="xs"
            aria-label={`Choose ${nameOf(row)}`}
            checked={current.includes(row.id)}
            onChange={() => turn(row.id)}
          />
        )}
        <b>{row.contact_name ?? <PhoneNumber number={row.phone_number} />}</b>
      </Group>
    ),
  };
  return (
    <>
      <PageHeader
        title="Extractions"
        about="What the agents found out in conversations and calls, with the words that prove it."
        actions={
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={15} aria-hidden />}
            href={pathOf("GET /v1/extractions/export.csv", { query })}
            download
          >
            Export as CSV
          </Button>
        }
      />
      <Stack gap="md">
        <ExtractionFilters />
        {/* There while the rows are on their way, too: the table does not move when they come. */}
        {mayWrite && (list.isPending || there.length > 0) && (
          <Group gap="md">
            <Checkbox
              label={current.length === 0 ? "Choose all conversations shown" : `${current.length} chosen`}
              disabled={there.length === 0}
              checked={current.length > 0}
              indeterminate={current.length > 0 && current.length < there.length}
              onChange={() => setChosen(current.length > 0 ? [] : there.slice(0, MOST_CHOSEN))}
            />
            {current.length > 0 && <Reanalyze ids={current} done={() => setChosen([])} />}
          </Group>
        )}
        <ListWithDetail
          label="Extractions"
          list={list}
          columns={[who, ...COLUMNS]}
          rowKey={(row) => row.id}
          param="extraction"
          title={nameOf}
          detail={(row) => <Detail of={row} />}
          empty={
            isFiltered ? (
              <EmptyState
                title="Nothing found"
                text="A field is found by its whole name, a value by any part of it."
                action={
                  <Button variant="default" onClick={showAll}>
                    Show all
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="No extractions yet"
                text="Give an agent fields to find out. What contacts say is gathered here while it talks with them."
                action={<LinkButton to="/agents">Open the agents</LinkButton>}
              />
            )
          }
        />
      </Stack>
    </>
  );
}

const nameOf = (row: Extraction): string => row.contact_name ?? formatPhone(row.phone_number);

function Reanalyze({ ids, done }: { ids: readonly string[]; done?: () => void }) {
  const { organization_id } = useOrganization();
  const send = useSend("POST /v1/extractions/reanalyze", [], { isShown: true });
  const run = async () => {
    try {
      const { started } = await send.mutateAsync({ body: { organization_id, thread_ids: [...ids] } });
      const what = started === 1 ? "1 conversation is" : `${started} conversations are`;
      notifications.show({ message: `${what} being analyzed again. The list follows.` });
      done?.();
    } catch (error) {
      notifications.show({ color: "red", title: "This could not be analyzed again", message: messageOf(error) });
    }
  };
  return (
    <Button size="compact-sm" variant="default" loading={send.isPending} onClick={() => void run()}>
      Re-analyze
    </Button>
  );
}

function Detail({ of }: { of: Extraction }) {
  const mayWrite = useCan("write");
  const isText = of.channel === "sms";
  const id = encodeURIComponent(of.id);
  return (
    <Stack gap="lg">
      <Group gap="sm">
        <LinkButton to={isText ? `/conversations/${id}` : `/calls/${id}`} size="sm">
          {isText ? "Open the conversation" : "Open the call"}
        </LinkButton>
        {mayWrite && isText && <Reanalyze ids={[of.id]} />}
        {isText ? (
          <CopyAsCurl operation="GET /v1/sms/extractions/:thread_id" args={{ params: { thread_id: of.id } }} />
        ) : (
          <CopyAsCurl operation="GET /v1/voice/calls/:call_id" args={{ params: { call_id: of.id } }} />
        )}
      </Group>
      <Fields
        items={of.fields.map(
          ({ name, value, quote }) =>
            [
              spelled(name),
              <>
                <Text span size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>
                  {valueWords(value)}
                </Text>
                <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {quote ? `“${quote}”` : "Without a quote"}
                </Text>
              </>,
            ] as const,
        )}
      />
      <Fields
        items={[
          ["Number", <PhoneNumber key="number" number={of.phone_number} />],
          ["Campaign", of.campaign_name ?? of.campaign_id ?? "None"],
          ["Agent", of.agent_name ?? "–"],
          [isText ? "Extracted" : "Call began", <Time key="at" at={of.at} exact />],
        ]}
      />
    </Stack>
  );
}

const COLUMNS: readonly Column<Extraction>[] = [
  {
    key: "found",
    title: "Found out",
    width: "3fr",
    render: ({ fields }) => fields.map(({ name, value }) => `${spelled(name)}: ${valueWords(value)}`).join(" · "),
  },
  { key: "campaign", title: "Campaign", isExtra: true, render: (row) => row.campaign_name ?? row.campaign_id ?? "–" },
  { key: "agent", title: "Agent", isExtra: true, render: (row) => row.agent_name ?? "–" },
  {
    key: "how",
    title: "By",
    width: "5rem",
    render: ({ channel }) => (
      <Group gap={4} wrap="nowrap">
        {channel === "sms" ? <IconMessage2 size={15} aria-hidden /> : <IconPhone size={15} aria-hidden />}
        {channel === "sms" ? "Text" : "Call"}
      </Group>
    ),
  },
  {
    key: "goal",
    title: "Goal",
    width: "6rem",
    render: ({ objective_met }) => (
      <Badge className="parley-tone" data-tone={objective_met ? "good" : "plain"}>
        {objective_met ? "Met" : "Not met"}
      </Badge>
    ),
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: ({ at }) => <Time at={at} /> },
];
