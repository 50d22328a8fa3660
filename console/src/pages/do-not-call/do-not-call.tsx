import { Button, Group, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { pathOf } from "#api/client.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconDownload } from "#parts/icons/tabler.ts";
import { PageHeader } from "#parts/page/page-header.tsx";
import { AddNumber } from "./add-number.tsx";
import { Entries } from "./entries.tsx";
import { ImportNumbers } from "./import-numbers.tsx";
import { OptOuts } from "./opt-outs.tsx";

const VIEWS = [
  { value: "entries", label: "Do not call" },
  { value: "opt-outs", label: "Opted out" },
];

/** Who is never to be texted or called: numbers that were listed here, and people who said so themselves. */
export function Component() {
  const mayAdd = useCan("write", { byAgents: true });
  const mayImport = useCan("write");
  const { organization_id } = useOrganization();
  const [{ view = "entries", of }, change] = useSearchFilters(["view", "of"]);
  const [open, setOpen] = useState<"add" | "import">();
  const isEntries = view !== "opt-outs";
  const file = isEntries
    ? pathOf("GET /v1/dnc/export.csv", { query: of === "organization" ? { organization_id } : {} })
    : pathOf("GET /v1/opt-outs/export.csv", {});
  const add = mayAdd && <Button onClick={() => setOpen("add")}>Add a number</Button>;
  return (
    <>
      <PageHeader
        title="Do not call"
        about="Nobody on these lists is texted or called, by any campaign."
        actions={
          <>
            {isEntries && add}
            {isEntries && mayImport && (
              <Button variant="default" onClick={() => setOpen("import")}>
                Import
              </Button>
            )}
            <Button
              component="a"
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              href={file}
              download
            >
              Export as CSV
            </Button>
          </>
        }
      />
      <Group mb="md">
        <SegmentedControl
          aria-label="Which list"
          data={VIEWS}
          value={isEntries ? "entries" : "opt-outs"}
          onChange={(next) => change({ view: next === "entries" ? null : next, phone_number: null } as object)}
        />
      </Group>
      {isEntries ? <Entries key="entries" action={add} /> : <OptOuts key="opt-outs" />}
      <AddNumber isOpen={open === "add"} close={() => setOpen(undefined)} />
      <ImportNumbers isOpen={open === "import"} close={() => setOpen(undefined)} />
    </>
  );
}
