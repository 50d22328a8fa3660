import { Badge, Button, Group, Select, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { Time } from "#parts/show/time.tsx";
import { SystemHead } from "./head.tsx";

type Logged = Item<"GET /v1/requests">;

const KINDS = [
  { value: "administration", label: "Changes by admins" },
  { value: "change", label: "Other changes" },
  { value: "failed_change", label: "Changes that were refused" },
] as const;
const NAMES = ["kind", "by", "user_id"] as const;

/** Who changed what: people and API keys, the newest first. */
export function Component() {
  const isAdmin = useCan("admin");
  const [filters, setFilters] = useSearchFilters(NAMES);
  const kind = KINDS.find(({ value }) => value === filters.kind)?.value ?? "administration";
  const by = filters.by === "key" || filters.by === "person" ? filters.by : undefined;
  const { user_id } = filters;
  const users = useWhole(usePages("GET /v1/users", "users", isAdmin ? {} : undefined));
  const keys = useWhole(usePages("GET /v1/api-keys", "api_keys", isAdmin ? {} : undefined));
  const names = new Map([
    ...users.rows.map(({ unique_id, name }) => [unique_id, name] as const),
    ...keys.rows.map(({ key_id, name }) => [key_id, `API key “${name}”`] as const),
  ]);
  const whoOf = ({ user_id: user, key_id: key }: Logged): string =>
    names.get(user ?? key ?? "") ?? (!user ? "An API key" : users.hasNextPage ? "A user" : "A user who was removed");
  const log = usePages("GET /v1/requests", "requests", isAdmin ? { query: { class: kind, by, user_id } } : undefined);
  const isFiltered = filters.kind !== undefined || by !== undefined || user_id !== undefined;
  const who: Column<Logged> = { key: "who", title: "Who", width: "1.2fr", render: (one) => <b>{whoOf(one)}</b> };
  const options = users.rows.map(({ unique_id, name }) => ({ value: unique_id, label: name }));
  const isKnown = user_id === undefined || options.some(({ value }) => value === user_id);
  return (
    <>
      <SystemHead
        title="Audit log"
        about="Who changed what. Changes by admins are kept for a year, others for seven days; some seconds behind"
      />
      {isAdmin ? (
        <Stack gap="md">
          <Group gap="xs" role="group" aria-label="Filters">
            <Select
              aria-label="Kind"
              allowDeselect={false}
              w={{ base: "100%", xs: 220 }}
              data={KINDS}
              value={kind}
              onChange={(value) => setFilters({ kind: value === "administration" ? null : value })}
            />
            <Select
              aria-label="By"
              placeholder="People and API keys"
              clearable
              w={{ base: "100%", xs: 190 }}
              data={[
                { value: "person", label: "People" },
                { value: "key", label: "API keys" },
              ]}
              value={by ?? null}
              onChange={(value) => setFilters({ by: value })}
            />
            <Select
              aria-label="User"
              placeholder="Every user"
              clearable
              searchable
              nothingFoundMessage="Nobody is called so"
              w={{ base: "100%", xs: 190 }}
              data={isKnown ? options : [{ value: user_id, label: user_id }, ...options]}
              value={user_id ?? null}
              onChange={(value) => setFilters({ user_id: value })}
            />
          </Group>
          <ListWithDetail
            label="Audit log"
            list={log}
            columns={[who, ...COLUMNS]}
            rowKey={({ request_id }) => request_id}
            param="request"
            title={({ operation }) => inWords(operation)}
            detail={(one) => (
              <Fields
                items={[
                  ["Who", whoOf(one)],
                  ["What", inWords(one.operation)],
                  ["Result", <Result key="result" of={one} />],
                  ["When", <Time key="at" at={one.at} isReal exact />],
                  ["Request", <code key="path" style={{ wordBreak: "break-all" }}>{`${one.method} ${one.path}`}</code>],
                  ["Request id", one.request_id],
                ]}
              />
            )}
            empty={
              <EmptyState
                title={isFiltered ? "No such change" : "No change yet"}
                text="What admins change in users, API keys and the system shows up here some seconds later."
                action={
                  isFiltered && (
                    <Button variant="default" onClick={() => setFilters({ kind: null, by: null, user_id: null })}>
                      Show all
                    </Button>
                  )
                }
              />
            }
          />
        </Stack>
      ) : (
        <EmptyState title="For admins" text="The audit log is shown to admins. Ask one of yours." />
      )}
    </>
  );
}

/** More pages than a team has; who is not on them is named by no name. */
const MOST_PAGES = 20;

/** A list of which every page is asked for. */
function useWhole<L extends { data?: { pages: readonly unknown[] } | undefined } & ToBeContinued>(list: L): L {
  const { hasNextPage, isFetching, fetchNextPage } = list;
  const pages = list.data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && pages < MOST_PAGES) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, pages]);
  return list;
}
type ToBeContinued = { hasNextPage: boolean; isFetching: boolean; fetchNextPage: () => Promise<unknown> };

/** "createApiKey" as "Create API key". */
function inWords(operation: string): string {
  const words = operation.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\bapi\b/, "API");
  return words[0]!.toUpperCase() + words.slice(1);
}

function Result({ of }: { of: Logged }) {
  return (
    <Badge className="parley-tone" data-tone={of.status < 400 ? "good" : "bad"}>
      {of.status < 400 ? "Done" : `Refused (${of.status})`}
    </Badge>
  );
}

const COLUMNS: readonly Column<Logged>[] = [
  { key: "what", title: "What", width: "1.4fr", render: ({ operation }) => inWords(operation) },
  {
    key: "path",
    title: "Request",
    width: "2fr",
    isExtra: true,
    render: ({ method, path }) => (
      <Text span inherit c="dimmed" truncate title={path}>
        {method} {path}
      </Text>
    ),
  },
  { key: "result", title: "Result", width: "8rem", render: (one) => <Result of={one} /> },
  { key: "when", title: "When", width: "8rem", align: "right", render: ({ at }) => <Time at={at} isReal /> },
];
