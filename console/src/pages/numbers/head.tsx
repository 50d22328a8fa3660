import type { ReactNode } from "react";
import { PageHeader } from "#parts/page/page-header.tsx";
import { PageTabs } from "#parts/page/page-tabs.tsx";

const TABS = [
  { to: "/numbers", label: "Numbers" },
  { to: "/numbers/brands", label: "Brands and 10DLC" },
  { to: "/numbers/toll-free", label: "Toll-free" },
] as const;

/** What is above the lists. */
export function NumbersHead({ title, about, actions }: { title: string; about: string; actions?: ReactNode }) {
  return (
    <>
      <PageHeader title={title} about={about} actions={actions} />
      <PageTabs label="Numbers" tabs={TABS} />
    </>
  );
}
