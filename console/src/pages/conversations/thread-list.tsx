import {
  Badge,
  Button,
  CloseButton,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "react-router";
import type { Item } from "#api/operations.ts";
import { useAnswer, usePages } from "#api/query.ts";
import { useOrganization, useSession } from "#api/session.ts";
import { LinkButton } from "#parts/form/link-button.tsx";
import { WHOLE_DIGITS } from "#parts/form/number-search.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconSearch } from "#parts/icons/tabler.ts";
import { useShortcuts, useShortcutsHere } from "#parts/keyboard/use-shortcuts.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { useNow } from "#parts/show/time.tsx";
import { excerptOf, wordOf } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import { InboxFilters } from "./inbox-filters.tsx";
import { NeedsPerson } from "./needs-person.tsx";
import { exact, stamp } from "./times.ts";

type Listed = Item<"GET /v1/sms/threads">;

const NAMES = ["attention", "campaign_id", "status", "search", "phone_number", "assignee", "unread"] as const;
const ROW_PX = 84;
/** The next page is asked for when so many rows are left below. */
const AHEAD_ROWS = 20;
const STATES = ["replied", "completed", "opted_out"].map((value) => ({
  value,
  label: wordOf("recipient", value).label,
}));
const ATTENTION = [
  { value: "all", label: "All" },
  { value: "needs_person", label: "Need a person" },
  { value: "answer_delayed", label: "Delayed" },
  { value: "taken_over", label: "Taken over" },
] as const;
type Attention = Exclude<(typeof ATTENTION)[number]["value"], "all">;
const isAttention = (value: string | undefined): value is Attention =>
  value !== "all" && ATTENTION.some((option) => option.value === value);

/** The conversations, the one whose contact wrote last first. */
export function ThreadList({ openId }: { openId: string | undefined }) {
  const { organization_id } = useOrganization();
  const [filters, setFilters] = useSearchFilters(NAMES);
  const attention = isAttention(filters.attention) ? filters.attention : undefined;
  const unread = filters.unread === "true" ? true : undefined;
  const list = usePages("GET /v1/sms/threads", "threads", {
    query: { organization_id, ...filters, attention, unread },
  });
  const campaigns = useAnswer("GET /v1/campaigns", { query: { organization_id, limit: 100 } });
  useEffect(() => {
    document.title = "Conversations · Parley";
  }, []);
  const isFiltered = NAMES.some((name) => filters[name] !== undefined);
  return (
    <section className={styles.list} aria-label="Conversations">
      <div className={styles.filters}>
        <Title order={2} size="h1">
          Conversations
        </Title>
        <Search
          value={filters.phone_number ?? filters.search ?? ""}
          onChange={(typed) => setFilters(searchOf(typed))}
        />
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Which conversations"
          data={[...ATTENTION]}
          value={attention ?? "all"}
          onChange={(value) => setFilters({ attention: value === "all" ? null : value })}
        />
        <Group gap="xs" grow>
          <Select
            size="xs"
            aria-label="Campaign"
            placeholder="Any campaign"
            searchable
            clearable
            clearButtonProps={{ "aria-label": "Any campaign" }}
            data={(campaigns.data?.campaigns ?? []).map(({ campaign_id, campaign_name }) => ({
              value: campaign_id,
              label: campaign_name ?? campaign_id,
            }))}
            value={filters.campaign_id ?? null}
            onChange={(value) => setFilters({ campaign_id: value })}
          />
          <Select
            size="xs"
            aria-label="State"
            placeholder="Any state"
            clearable
            clearButtonProps={{ "aria-label": "Any state" }}
            data={STATES}
            value={filters.status ?? null}
            onChange={(value) => setFilters({ status: value })}
          />
        </Group>
        <InboxFilters chosen={filters} choose={setFilters} />
      </div>
      {list.error && list.rows.length === 0 ? (
        <div className={styles.pad}>
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        </div>
      ) : list.isPending ? (
        <Waiting />
      ) : (
        <Rows
          list={list}
          openId={openId}
          empty={<Nothing isFiltered={isFiltered} clear={() => setFilters(NO_FILTER)} />}
        />
      )}
    </section>
  );
}

const NO_FILTER = Object.fromEntries(NAMES.map((name) => [name, null]));

/** What has the ten digits of a number and no letter is one; anything else is in a name or a text. */
function searchOf(typed: string) {
  const isNumber = !/[a-z]/i.test(typed) && typed.replace(/\D/g, "").length >= WHOLE_DIGITS;
  return isNumber ? { phone_number: typed, search: null } : { phone_number: null, search: typed.trim() || null };
}

function Search({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  const [typed, setTyped] = useState(value);
  const [last, setLast] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const change = useDebouncedCallback(onChange, 300);
  useShortcuts({ find: () => input.current?.focus() });
  // Another link may have brought another search.
  if (value !== last) {
    setLast(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const set = (next: string) => {
    setTyped(next);
    change(next);
  };
  const onKeyDown = useShortcutsHere({ clear: () => set("") });
  return (
    <TextInput
      ref={input}
      aria-label="Search by name, number or words"
      placeholder="Name, whole number or words ( / )"
      leftSection={<IconSearch size={14} />}
      rightSection={typed && <CloseButton size="sm" aria-label="Clear the search" onClick={() => set("")} />}
      value={typed}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function Rows({
  list,
  openId,
  empty,
}: {
  list: ReturnType<typeof usePages<"GET /v1/sms/threads">>;
  openId: string | undefined;
  empty: React.ReactNode;
}) {
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const box = useRef<HTMLDivElement>(null);
  const { search } = useLocation();
  const virtual = useVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]!.thread_id,
    getScrollElement: () => box.current,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - AHEAD_ROWS) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, last, rows.length, fetchNextPage]);

  const go = (next: number) => {
    if (next < 0 || next >= rows.length) return;
    virtual.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus());
  };
  const focused = () => {
    const row = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>("[data-row]");
    return row ? Number(row.dataset.row) : undefined;
  };
  const open = Math.max(
    0,
    rows.findIndex(({ thread_id }) => thread_id === openId),
  );
  useShortcuts({
    next: () => go((focused() ?? open - 1) + 1),
    previous: () => go((focused() ?? open + 1) - 1),
  });
  const onKeyDown = useShortcutsHere({
    down: () => go((focused() ?? open - 1) + 1),
    up: () => go((focused() ?? open + 1) - 1),
    open: () => (document.activeElement as HTMLElement).click(),
  });

  if (rows.length === 0) return hasNextPage ? <Waiting /> : <div className={styles.pad}>{empty}</div>;

  return (
    <>
      {list.isBehind && (
        <Button size="compact-xs" variant="light" mx="md" my={4} onClick={list.catchUp}>
          There is newer: show it
        </Button>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links in it hear the keys too. */}
      <div className={styles.rows} ref={box} onKeyDown={onKeyDown}>
        <ul style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => (
            <li key={key} style={{ transform: `translateY(${start}px)` }}>
              <Row row={rows[index]!} index={index} isOpen={rows[index]!.thread_id === openId} search={search} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

function Row({ row, index, isOpen, search }: { row: Listed; index: number; isOpen: boolean; search: string }) {
  const now = useNow();
  const me = useSession().user.unique_id;
  const wanted = new URLSearchParams(search).get("search") ?? "";
  return (
    <Link
      to={`/conversations/${encodeURIComponent(row.thread_id)}${search}`}
      className={styles.row}
      data-row={index}
      aria-current={isOpen ? "true" : undefined}
    >
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text span size="sm" fw={row.unread ? 700 : 500} truncate>
          {row.unread && (
            <span className={styles.unread} role="img" aria-label="Unread">
              ●{" "}
            </span>
          )}
          {row.contact_name ?? formatPhone(row.phone_number)}
        </Text>
        {row.last_inbound_at && (
          <Text span size="xs" c="dimmed" title={exact(row.last_inbound_at)} className={styles.stamp}>
            {stamp(row.last_inbound_at, now)}
          </Text>
        )}
      </Group>
      <Text
        span
        size="xs"
        c={row.unread ? undefined : "dimmed"}
        fw={row.unread ? 550 : undefined}
        truncate
        display="block"
      >
        {row.matching_text === null ? (
          <LastText last={row.last_message} />
        ) : (
          `“${excerptOf(row.matching_text, wanted)}”`
        )}
      </Text>
      <Group gap={4} wrap="nowrap" mt={4}>
        {row.needs_person && <NeedsPerson />}
        {row.answer_delayed && (
          <Badge className="parley-tone" data-tone="wait" size="sm">
            Answer delayed
          </Badge>
        )}
        {!row.agent_awake && (
          <Badge className="parley-tone" data-tone="go" size="sm">
            Taken over
          </Badge>
        )}
        {row.status !== "replied" && !row.needs_person && <StatusBadge of="recipient" state={row.status} size="sm" />}
        <Text span size="xs" c="dimmed" truncate>
          {row.needs_person &&
            (row.person_wanted_at === null ? "Not answered yet · " : "Left to a person by the agent · ")}
          {row.campaign_name ?? row.campaign_id}
        </Text>
        {row.assignee && (
          <Text span size="xs" className={styles.whose} truncate>
            {row.assignee.user_id === me ? "Mine" : (row.assignee.name ?? "Assigned")}
          </Text>
        )}
      </Group>
    </Link>
  );
}

function LastText({ last }: { last: Listed["last_message"] }) {
  return (
    <>
      {last?.direction === "outbound" && "We: "}
      {last?.text === "" ? "A picture or file" : (last?.text ?? "No text yet")}
    </>
  );
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <EmptyState
      title="None like that"
      text="No conversation passes these filters."
      action={
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      }
    />
  ) : (
    <EmptyState
      title="No conversation yet"
      text="When somebody answers a campaign's text, the conversation shows up here."
      action={<LinkButton to="/sms-campaigns/new">New SMS campaign</LinkButton>}
    />
  );
}

function Waiting() {
  return (
    <div className={styles.pad} aria-hidden>
      {[60, 75, 50, 66, 58].map((share) => (
        <div key={share} style={{ height: ROW_PX }}>
          <Skeleton h={12} w={`${share}%`} mb={8} />
          <Skeleton h={10} w="90%" />
        </div>
      ))}
    </div>
  );
}
