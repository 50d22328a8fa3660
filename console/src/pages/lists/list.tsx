import { Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate, useParams } from "react-router";
import type { Item } from "#api/operations.ts";
import { useAnswer, usePages, useSend } from "#api/query.ts";
import { useCan } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { contactName, fieldsOf } from "#parts/form/contact-fields.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { LinkButton } from "#parts/form/link-button.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { type Column, DataTable } from "#parts/show/data-table.tsx";
import { whole } from "#parts/show/figures.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { Time } from "#parts/show/time.tsx";

import { HowFar, LookUpList } from "./line-lookups.tsx";

const BACK = { to: "/lists", label: "Lists" };
type Lead = Item<"GET /v1/contacts/lists/:list_id/leads">;

/** One list and who is on it. */
export function Component() {
  const { list_id = "" } = useParams();
  const params = { list_id };
  const navigate = useNavigate();
  const mayWrite = useCan("write");
  const answer = useAnswer("GET /v1/contacts/lists/:list_id", { params });
  const leads = usePages("GET /v1/contacts/lists/:list_id/leads", "leads", { params });
  const remove = useSend("DELETE /v1/contacts/lists/:list_id", ["GET /v1/contacts/lists"], { isShown: true });
  const list = answer.data?.list;
  if (list === undefined) {
    return (
      <>
        <PageHeader title="List" back={BACK} />
        {answer.error ? <ErrorState error={answer.error} retry={() => void answer.refetch()} /> : <Skeleton h={140} />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={list.list_name}
        back={BACK}
        about={
          <>
            {whole(list.count)} {list.count === 1 ? "contact" : "contacts"}, made <Time at={list.created_at} />
            <HowFar of={list.line_lookup} />
          </>
        }
        actions={
          <>
            <LookUpList list={list} />
            {mayWrite && (
              <ConfirmButton
                title="Delete this list?"
                text="Its contacts stay, and so do campaigns that were sent to it."
                confirm="Delete the list"
                onConfirm={async () => {
                  await remove.mutateAsync({ params });
                  notifications.show({ message: `${list.list_name} was deleted` });
                  void navigate("/lists");
                }}
              >
                Delete
              </ConfirmButton>
            )}
            <CopyAsCurl operation="GET /v1/contacts/lists/:list_id/leads" args={{ params }} />
          </>
        }
      />
      <DataTable
        label="Contacts of the list"
        list={leads}
        columns={COLUMNS}
        rowKey={(contact) => contact.unique_id}
        to={(contact) => `/contacts?contact=${encodeURIComponent(contact.unique_id)}`}
        empty={
          <EmptyState
            title="Nobody is on this list"
            text="Its import may still be running, or no row of the file could be taken."
            action={<LinkButton to="/lists?view=imports">See the imports</LinkButton>}
          />
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<Lead>[] = [
  {
    key: "name",
    title: "Name",
    width: "1.5fr",
    render: (contact) => contactName(contact) ?? <PhoneNumber number={contact.phone_number} />,
  },
  { key: "phone", title: "Number", width: "9rem", render: (contact) => <PhoneNumber number={contact.phone_number} /> },
  { key: "city", title: "Place", isExtra: true, render: (contact) => fieldsOf(contact, "city", "state") ?? "–" },
  { key: "company", title: "Company", isExtra: true, render: (contact) => fieldsOf(contact, "company_name") ?? "–" },
  {
    key: "when",
    title: "Changed",
    width: "9rem",
    align: "right",
    render: (contact) => <Time at={contact.updated_at} />,
  },
];
