import { Alert, Badge, Group, Stack, Text } from "@mantine/core";
import { usePages } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import type { Column } from "#parts/show/data-table.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { whole } from "#parts/show/figures.tsx";
import { ListWithDetail } from "#parts/show/list-with-detail.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";
import { NumbersHead } from "./head.tsx";
import { wordsOfKind } from "./registry-words.ts";
import type { Verification } from "./toll-free-fields.ts";

const STATES = {
  PENDING: { label: "In review", tone: "wait" },
  VERIFIED: { label: "Verified", tone: "good" },
  REJECTED: { label: "Refused", tone: "bad" },
} as const;

function StatusOf({ status }: { status: Verification["status"] }) {
  const { label, tone } = STATES[status];
  return (
    <Badge className="parley-tone" data-tone={tone}>
      {label}
    </Badge>
  );
}

/** The toll-free numbers whose verification was requested: how far each is, and why it was refused. */
export function Component() {
  const maySee = useCan("read", { tenantWide: true });
  const mayWrite = useCan("write", { tenantWide: true });
  const request = mayWrite && <LinkButton to="/numbers/toll-free/new">Request a verification</LinkButton>;
  const verifications = usePages("GET /v1/toll-free/verifications", "verifications", maySee ? {} : undefined);
  return (
    <>
      <NumbersHead
        title="Toll-free verification"
        about="Networks block texts from toll-free numbers until their carrier has verified who texts and what for."
        actions={request}
      />
      {maySee ? (
        <ListWithDetail
          label="Toll-free verifications"
          list={verifications}
          columns={COLUMNS}
          rowKey={({ phone_number }) => phone_number}
          param="number"
          title={({ phone_number }) => formatPhone(phone_number)}
          detail={(one) => <Detail of={one} />}
          empty={
            <EmptyState
              title="No verification yet"
              text="What the carrier says of a number, and why it refuses one, shows up here."
              action={request}
            />
          }
        />
      ) : (
        <EmptyState
          title="For admins"
          text="Verifications are the whole tenant's, and shown to admins. Ask one of yours."
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Verification>[] = [
  { key: "number", title: "Number", width: "11rem", render: (one) => <b>{formatPhone(one.phone_number)}</b> },
  { key: "business", title: "Business", width: "1.6fr", render: ({ business_name }) => business_name },
  { key: "status", title: "Status", width: "8rem", render: ({ status }) => <StatusOf status={status} /> },
  {
    key: "use",
    title: "Use",
    width: "11rem",
    isExtra: true,
    render: ({ use_case }) => wordsOfKind(use_case),
  },
  {
    key: "since",
    title: "Requested",
    width: "8rem",
    align: "right",
    render: ({ created_at }) => <Time at={created_at} />,
  },
];

function Detail({ of }: { of: Verification }) {
  const mayWrite = useCan("write", { tenantWide: true });
  const params = { phone_number: of.phone_number };
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <StatusOf status={of.status} />
        <CopyAsCurl operation="GET /v1/toll-free/verifications/:phone_number" args={{ params }} />
      </Group>
      {of.status === "REJECTED" && (
        <Alert color="red" title="Why it was refused">
          {of.reasons.length === 0 ? (
            <Text size="sm">The carrier does not say why.</Text>
          ) : (
            of.reasons.map((reason) => (
              <Text key={reason} size="sm">
                {reason}
              </Text>
            ))
          )}
          {of.editable_until !== null && (
            <Text size="sm" mt="xs">
              Corrected before <Time at={of.editable_until} exact />, it goes before new ones.
            </Text>
          )}
          {mayWrite && (
            <LinkButton to={`/numbers/toll-free/new?number=${encodeURIComponent(of.phone_number)}`} mt="sm">
              Correct it
            </LinkButton>
          )}
        </Alert>
      )}
      {of.status === "PENDING" && (
        <Text size="sm">
          The carrier decides in days to weeks. Until then no live campaign can be started from this number.
        </Text>
      )}
      <Fields
        items={[
          ["Website", of.website],
          ["Use", wordsOfKind(of.use_case)],
          ["What is texted", of.use_case_summary],
          ["Sample", of.sample_message],
          ["How recipients agree", `${wordsOfKind(of.opt_in_type)}: ${of.opt_in_description}`],
          ["Texts a month", whole(of.monthly_messages)],
          ["Address", [of.street, of.street_2, of.city, `${of.state} ${of.postal_code}`].filter(Boolean).join(", ")],
          ["Contact", `${of.contact_first_name} ${of.contact_last_name}, ${of.email}`],
        ]}
      />
    </Stack>
  );
}
