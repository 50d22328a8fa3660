import type { ReactNode } from "react";
import { PageHeader } from "#parts/page/page-header.tsx";
import { PageTabs } from "#parts/page/page-tabs.tsx";

const TABS = [
  { to: "/developers", label: "API keys" },
  { to: "/developers/requests", label: "Requests" },
  { to: "/developers/events", label: "Events" },
  { to: "/developers/reference", label: "Reference" },
] as const;

/** What is above each of the developers' pages. */
export function DevelopersHead({ title, about, actions }: { title: string; about: string; actions?: ReactNode }) {
  return (
    <>
      <PageHeader title={title} about={about} actions={actions} />
      <PageTabs label="Developers" tabs={TABS} />
    </>
  );
}
