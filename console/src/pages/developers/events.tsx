import { Group, Select, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { call } from "#api/client.ts";
import { type EventKind, type LoggedEvent, useLive } from "#api/live.ts";
import { STALE_BY_KIND } from "#api/stale-by-kind.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { DetailDrawer } from "#parts/page/detail-drawer.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { JsonView } from "#parts/show/json-view.tsx";
import { Time } from "#parts/show/time.tsx";
import { spelled } from "#parts/show/words.ts";
import { DevelopersHead } from "./head.tsx";

const KINDS = Object.keys(STALE_BY_KIND) as EventKind[];
const GROUPS = [...new Set(KINDS.map((kind) => kind.slice(0, kind.indexOf("."))))];
const CHOICES = GROUPS.map((group) => ({
  group: spelled(group),
  items: [
    { value: `${group}.*`, label: `All of ${spelled(group).toLowerCase()}` },
    ...KINDS.filter((kind) => kind.startsWith(`${group}.`)).map((kind) => ({ value: kind, label: kind })),
  ],
}));

/** The newest are looked for backwards, so many numbers at a time. */
const SPAN = 200;
/** A page that is left open does not fill the memory. */
const MAX_LIVE = 500;

const COLUMNS: readonly Column<LoggedEvent>[] = [
  { key: "kind", title: "Event", width: "13rem", render: ({ kind }) => kind },
  { key: "about", title: "About", width: "2fr", render: (event) => aboutOf(event) },
  { key: "seq", title: "Number", width: "6rem", align: "right", isExtra: true, render: ({ seq }) => seq },
  { key: "at", title: "When", width: "8rem", align: "right", render: ({ at }) => <Time at={at} /> },
];

/** What happened, newest first, and what happens while one looks on. */
export function Component() {
  const [{ kinds }, setFilters] = useSearchFilters(["kinds"]);
  const [live, setLive] = useState<readonly LoggedEvent[]>([]);
  const [opened, setOpened] = useState<LoggedEvent>();
  const isWanted = useCallback(
    (kind: string) =>
      kinds === undefined || kinds === kind || (kinds.endsWith(".*") && kind.startsWith(kinds.slice(0, -1))),
    [kinds],
  );
  useLive(KINDS, (event) => setLive((before) => [event, ...before].slice(0, MAX_LIVE)));

  const past = useInfiniteQuery({
    queryKey: ["events, backwards", kinds],
    // The log reads forward: the last number is found first, then what is below it, span by span.
    queryFn: async ({ pageParam }: { pageParam: number | undefined }) => {
      const { newest_seq, oldest_seq } = await call("GET /v1/events", { query: { limit: 1 } });
      const head = pageParam ?? newest_seq;
      const from = Math.max(oldest_seq - 1, head - SPAN);
      if (from >= head) return { events: [], from: 0 };
      const query = { after: from, limit: SPAN, ...(kinds ? { kinds } : {}) };
      const { events } = await call("GET /v1/events", { query });
      return { events: events.filter(({ seq }) => seq <= head).reverse(), from: from >= oldest_seq ? from : 0 };
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ from }) => (from > 0 ? from : undefined),
    refetchOnMount: "always",
    retry: false,
  });
  const old = past.data?.pages.flatMap(({ events }) => events) ?? [];
  const newest = old[0]?.seq ?? 0;
  const rows = [...live.filter(({ seq, kind }) => seq > newest && isWanted(kind)), ...old];

  return (
    <>
      <DevelopersHead title="Events" about="What happened, as your programs can follow it" />
      <Group mb="md" justify="space-between">
        <Select
          label="Kind"
          placeholder="All kinds"
          data={CHOICES}
          value={kinds ?? null}
          onChange={(value) => setFilters({ kinds: value })}
          clearable
          searchable
          w="min(20rem, 100%)"
        />
        <CopyAsCurl operation="GET /v1/events/stream" args={{ query: kinds ? { kinds } : {} }} />
      </Group>
      <DataTable
        label="Events"
        list={{ ...past, rows }}
        columns={COLUMNS}
        rowKey={({ event_id }) => event_id}
        open={setOpened}
        empty={
          <EmptyState
            title="Nothing has happened yet"
            text="Events come as campaigns run: leave this page open."
            action={
              <LinkButton to="/sms-campaigns" variant="default">
                SMS campaigns
              </LinkButton>
            }
          />
        }
      />
      <DetailDrawer title={opened?.kind} isOpen={opened !== undefined} close={() => setOpened(undefined)}>
        {opened && (
          <Stack>
            <Text size="sm" c="dimmed">
              <Time at={opened.at} exact />
            </Text>
            <JsonView value={opened} />
            <Group>
              <CopyAsCurl operation="GET /v1/events" args={{ query: { after: opened.seq - 1, limit: 1 } }} />
            </Group>
          </Stack>
        )}
      </DetailDrawer>
    </>
  );
}

function aboutOf({ data }: LoggedEvent): string {
  const fields = data as Record<string, unknown>;
  const names = ["phone_number", "campaign_id", "call_id", "agent_id", "import_id", "brand_id"] as const;
  const found = names.flatMap((name) => (typeof fields[name] === "string" ? [fields[name]] : []));
  return found.join(" · ") || "–";
}
