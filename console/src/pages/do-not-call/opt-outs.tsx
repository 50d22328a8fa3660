import { Anchor, Group, Select, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Item } from "#api/operations.ts";
import { usePages } from "#api/query.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { sourceOf } from "#parts/show/consent-words.ts";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { NumberList } from "./number-list.tsx";

type OptOut = Item<"GET /v1/opt-outs">;

const SOURCES = ["keyword", "free_text", "agent", "call", "carrier", "operator", "journal"];

/** Who has opted out, with their own words. */
export function OptOuts() {
  const [{ phone_number, source }, change] = useSearchFilters(["phone_number", "source"]);
  const list = usePages("GET /v1/opt-outs", "opt_outs", {
    query: { ...(phone_number ? { phone_number } : {}), ...(source ? { source } : {}) },
  });
  return (
    <NumberList
      label="Opted out"
      sought={phone_number}
      seek={(next) => change({ phone_number: next })}
      filter={
        <Select
          aria-label="How they opted out"
          w={{ base: "100%", xs: 240 }}
          allowDeselect={false}
          data={[
            { value: "any", label: "However they opted out" },
            ...SOURCES.map((value) => ({ value, label: sourceOf(value) })),
          ]}
          value={source ?? "any"}
          onChange={(next) => change({ source: next === "any" ? null : next })}
        />
      }
      list={list}
      columns={COLUMNS}
      rowKey={(optOut) => optOut.phone_number}
      empty={
        <EmptyState
          title={phone_number || source ? "No matching opt-outs" : "Nobody has opted out"}
          text="Who texts STOP, or asks in their own words to be left alone, shows up here at once."
        />
      }
      detail={(optOut) => <Detail of={optOut} />}
    />
  );
}

function Detail({ of }: { of: OptOut }) {
  return (
    <Stack gap="lg">
      <Fields
        items={[
          ["Opted out", <Time key="when" at={of.opted_out_at} exact />],
          ["How", sourceOf(of.source)],
          ["In their own words", of.quote ? `“${of.quote}”` : "–"],
          ["Holds for", "All organizations, texts and calls"],
        ]}
      />
      <Text size="sm">
        Only the contact takes this back: by texting START, or by a new consent in writing that you can prove. Imports,
        edits and the do-not-call list do not change it.
      </Text>
      <Group>
        <Anchor component={Link} to={`/contacts?search=${encodeURIComponent(of.phone_number)}`} size="sm">
          Find the contact
        </Anchor>
        <CopyAsCurl operation="GET /v1/consents/:phone_number" args={{ params: { phone_number: of.phone_number } }} />
      </Group>
    </Stack>
  );
}

const COLUMNS: readonly Column<OptOut>[] = [
  { key: "phone", title: "Number", width: "9.5rem", render: (optOut) => <PhoneNumber number={optOut.phone_number} /> },
  { key: "how", title: "How", width: "1fr", render: (optOut) => sourceOf(optOut.source) },
  {
    key: "quote",
    title: "In their words",
    width: "2fr",
    render: (optOut) => (optOut.quote ? `“${optOut.quote}”` : "–"),
  },
  { key: "when", title: "When", width: "8rem", align: "right", render: (optOut) => <Time at={optOut.opted_out_at} /> },
];
