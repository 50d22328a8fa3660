import type { ReactNode } from "react";
import { PageHeader } from "#parts/page/page-header.tsx";
import { PageTabs } from "#parts/page/page-tabs.tsx";

const TABS = [
  { to: "/system", label: "Service" },
  { to: "/system/users", label: "Team" },
  { to: "/system/organizations", label: "Organizations" },
  { to: "/system/single-sign-on", label: "Single sign-on" },
  { to: "/system/activity", label: "Audit log" },
  { to: "/system/account", label: "Your account" },
] as const;

/** What is above each of the system's pages. */
export function SystemHead({ title, about, actions }: { title: string; about: string; actions?: ReactNode }) {
  return (
    <>
      <PageHeader title={title} about={about} actions={actions} />
      <PageTabs label="System" tabs={TABS} />
    </>
  );
}
