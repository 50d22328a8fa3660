import { Badge, Group, Select, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { CopyButton } from "#parts/form/copy-button.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { duration } from "#parts/show/figures.tsx";
import { JsonView } from "#parts/show/json-view.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { Time } from "#parts/show/time.tsx";
import { DevelopersHead } from "./head.tsx";

type Logged = Item<"GET /v1/requests">;

const STATUSES = [
  { value: "failed", label: "Failed" },
  { value: "refused", label: "Refused (4xx)" },
  { value: "broken", label: "Our fault (5xx)" },
  { value: "succeeded", label: "Succeeded" },
] as const;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const COLUMNS: readonly Column<Logged>[] = [
  {
    key: "request",
    title: "Request",
    width: "3fr",
    render: ({ method, path }) => (
      <Text span inherit truncate title={path}>
        <b>{method}</b> {path}
      </Text>
    ),
  },
  { key: "status", title: "Answer", width: "5rem", render: (request) => <Status request={request} /> },
  { key: "ms", title: "Took", width: "5rem", align: "right", isExtra: true, render: ({ ms }) => duration(ms) },
  { key: "at", title: "When", width: "8rem", align: "right", render: ({ at }) => <Time at={at} isReal /> },
];

/** What programs and people have asked, and what came of it. */
export function Component() {
  const isAdmin = useCan("admin");
  const [filters, setFilters] = useSearchFilters(["status", "method", "operation", "people"]);
  const status = STATUSES.find(({ value }) => value === filters.status)?.value;
  const method = METHODS.find((value) => value === filters.method);
  const { operation } = filters;
  // What the console asks for is not what somebody who writes a program looks for.
  const by = filters.people === undefined ? "key" : undefined;
  const requests = usePages(
    "GET /v1/requests",
    "requests",
    isAdmin ? { query: { status, method, operation, by } } : undefined,
  );
  const search = useDebouncedCallback((text: string) => setFilters({ operation: text.trim() }), 400);
  const isFiltered = status !== undefined || method !== undefined || operation !== undefined;
  return (
    <>
      <DevelopersHead
        title="Requests"
        about="The last seven days, and what admins changed in the last year; some seconds behind, without bodies"
      />
      {isAdmin ? (
        <>
          <Group mb="md" align="flex-end">
            <Select
              label="Answer"
              placeholder="Any"
              data={STATUSES}
              value={status ?? null}
              onChange={(value) => setFilters({ status: value })}
              clearable
              w={160}
            />
            <Select
              label="Method"
              placeholder="Any"
              data={METHODS}
              value={method ?? null}
              onChange={(value) => setFilters({ method: value })}
              clearable
              w={120}
            />
            <TextInput
              label="Operation"
              placeholder="createCampaign"
              defaultValue={operation ?? ""}
              onChange={({ currentTarget }) => search(currentTarget.value)}
              w={200}
            />
            <Switch
              label="Show requests of the console"
              checked={by === undefined}
              onChange={({ currentTarget }) => setFilters({ people: currentTarget.checked ? "yes" : null })}
              mb="xs"
            />
          </Group>
          <ListWithDetail
            label="Requests"
            list={requests}
            columns={COLUMNS}
            rowKey={({ request_id }) => request_id}
            param="request"
            empty={
              <EmptyState
                title={isFiltered ? "No such request" : "No request yet"}
                text={
                  isFiltered
                    ? "Nothing of the last seven days is like this."
                    : "Requests by API keys show up here some seconds after their answer."
                }
                action={
                  <LinkButton to={isFiltered ? "/developers/requests" : "/developers"} variant="default">
                    {isFiltered ? "Show all" : "API keys"}
                  </LinkButton>
                }
              />
            }
            title={({ operation: name }) => name}
            detail={(request) => <Detail request={request} />}
          />
        </>
      ) : (
        <EmptyState title="For admins" text="The log of requests is shown to admins. Ask one of yours." />
      )}
    </>
  );
}

function Detail({ request }: { request: Logged }) {
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["Answer", <Status key="status" request={request} />],
          ["Request", <code key="path" style={{ wordBreak: "break-all" }}>{`${request.method} ${request.path}`}</code>],
          ["When", <Time key="at" at={request.at} exact isReal />],
          ["Took", duration(request.ms)],
          ["By", request.key_id ?? request.user_id],
          ["Request id", request.request_id],
        ]}
      />
      {request.answer !== null && (
        <section aria-label="The answer">
          <Title order={3} mb="xs">
            The answer
          </Title>
          <JsonView value={parsed(request.answer)} />
        </section>
      )}
      <Group>
        <CopyButton label="Copy as cURL" text={curlOf(request)} />
      </Group>
    </Stack>
  );
}

function Status({ request: { status } }: { request: Logged }) {
  return (
    <Badge className="parley-tone" data-tone={status >= 400 ? "bad" : "good"}>
      {status}
    </Badge>
  );
}

/** What is masked in the path has to be filled in again. */
const curlOf = ({ method, path }: Logged): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}'${location.origin}${path.replaceAll("'", "%27")}'`,
    `-H "X-API-Key: $PARLEY_API_KEY"`,
    ...(method === "GET" || method === "DELETE" ? [] : ["-H 'Content-Type: application/json'", "-d '{}'"]),
  ].join(" \\\n  ");

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
