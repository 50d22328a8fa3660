import { Group, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Item } from "#api/operations.ts";
import { usePages, useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { sourceOf } from "#parts/show/consent-words.ts";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { NumberList } from "./number-list.tsx";

type Entry = Item<"GET /v1/dnc">;

/** The numbers that were listed by people, imports and the API. */
export function Entries({ action }: { action: React.ReactNode }) {
  const { organization_id } = useOrganization();
  const { organizations } = useSession();
  const [{ phone_number, of }, change] = useSearchFilters(["phone_number", "of"]);
  const entries = usePages("GET /v1/dnc", "entries", {
    query: {
      ...(phone_number ? { phone_number } : {}),
      ...(of === "organization" ? { organization_id } : {}),
    },
  });
  const scopeOf = (entry: Entry): string =>
    entry.organization_id === null
      ? "All organizations"
      : (organizations.find(({ unique_id }) => unique_id === entry.organization_id)?.organization_name ??
        entry.organization_id);
  const columns: Column<Entry>[] = [
    { key: "phone", title: "Number", width: "9.5rem", render: (entry) => <PhoneNumber number={entry.phone_number} /> },
    { key: "scope", title: "Holds for", width: "1fr", render: scopeOf },
    { key: "reason", title: "Reason", width: "1.5fr", render: (entry) => entry.reason || "–" },
    { key: "source", title: "How", width: "1fr", isExtra: true, render: (entry) => sourceOf(entry.source) },
    { key: "who", title: "Who", width: "8rem", isExtra: true, render: (entry) => entry.added_by?.name ?? "–" },
    { key: "when", title: "When", width: "8rem", align: "right", render: (entry) => <Time at={entry.created_at} /> },
  ];
  const isFiltered = phone_number !== undefined || of !== undefined;
  return (
    <NumberList
      label="Do-not-call entries"
      sought={phone_number}
      seek={(next) => change({ phone_number: next })}
      filter={
        <Select
          aria-label="Holds for"
          w={{ base: "100%", xs: 220 }}
          allowDeselect={false}
          data={[
            { value: "any", label: "Any organization" },
            { value: "organization", label: "This organization alone" },
          ]}
          value={of ?? "any"}
          onChange={(next) => change({ of: next === "any" ? null : next })}
        />
      }
      list={entries}
      columns={columns}
      rowKey={(entry) => `${entry.phone_number} ${entry.organization_id}`}
      empty={
        isFiltered ? (
          <EmptyState title="No matching numbers" text="It may be opted out: see the other list." />
        ) : (
          <EmptyState
            title="No number is listed"
            text="Who asks a person of yours not to be contacted goes here. STOP is heard without it."
            action={action}
          />
        )
      }
      detail={(entry, close) => <Detail entry={entry} scope={scopeOf(entry)} close={close} />}
    />
  );
}

function Detail({ entry, scope, close }: { entry: Entry; scope: string; close: () => void }) {
  const mayWrite = useCan("write");
  const remove = useSend("POST /v1/dnc/remove", ["GET /v1/dnc"], { isShown: true });
  const { phone_number, organization_id } = entry;
  // Without an organization an entry goes with all others of its number.
  const body = { phone_number, ...(organization_id === null ? {} : { organization_id }) };
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["Holds for", scope],
          ["Reason", entry.reason || "–"],
          ["How it came here", sourceOf(entry.source)],
          ["Who added it", entry.added_by?.name ?? "–"],
          ["When", <Time key="when" at={entry.created_at} exact />],
        ]}
      />
      <Group>
        {mayWrite && (
          <ConfirmButton
            title="Take this number off the list?"
            text={
              <Stack gap="xs">
                <Text>
                  Campaigns may text and call {formatPhone(phone_number)} again, as far as the law and the calling hours
                  allow it.
                </Text>
                {organization_id === null && <Text>It comes off the lists of single organizations, too.</Text>}
                <Text>
                  If the contact has opted out, that stays. Texts that were withdrawn when it was listed do not come
                  back.
                </Text>
              </Stack>
            }
            confirm="Take it off"
            onConfirm={async () => {
              await remove.mutateAsync({ body });
              notifications.show({ message: `${formatPhone(phone_number)} is off the list` });
              close();
            }}
          >
            Take it off the list
          </ConfirmButton>
        )}
        <CopyAsCurl operation="POST /v1/dnc/remove" args={{ body }} />
      </Group>
    </Stack>
  );
}
