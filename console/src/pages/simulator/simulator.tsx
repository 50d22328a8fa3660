import { Button, Group } from "@mantine/core";
import { useMemo, useState } from "react";
import { useCan, useSession } from "#api/session.ts";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { IconPlus } from "#parts/icons/tabler.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { AddPhone } from "./add-phone.tsx";
import { Clock } from "./clock.tsx";
import { Handset } from "./handset.tsx";
import styles from "./simulator.module.css";

/** More are hard to follow at once. */
const MOST = 8;

const ABOUT = "Play the people on the other end: text, take calls, and skip ahead in time. No real phone is involved.";

/** Phones of the simulated network, side by side. Which ones is in the URL. */
export function Component() {
  const { mode } = useSession();
  const mayAct = useCan("send", { tenantWide: true });
  const [{ phones: named }, setFilters] = useSearchFilters(["phones"]);
  const seesAll = useCan("read", { tenantWide: true });
  const [isAdding, setAdding] = useState(false);
  const phones = useMemo(() => [...new Set(named?.split(",") ?? [])].slice(0, MOST), [named]);
  const show = (next: readonly string[]) => setFilters({ phones: next.join() || null });

  if (mode === "live") {
    return (
      <>
        <PageHeader title="Phone simulator" about={ABOUT} />
        <EmptyState
          title="You are live"
          text="Simulated phones are there in the simulator only. Switch by the badge “Live” at the top."
        />
      </>
    );
  }
  if (!seesAll) {
    return (
      <>
        <PageHeader title="Phone simulator" about={ABOUT} />
        <EmptyState title="This is for admins" text="Simulated phones show what every organization has sent to them." />
      </>
    );
  }
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)} disabled={phones.length >= MOST}>
      Add a phone
    </Button>
  );
  return (
    <>
      <PageHeader title="Phone simulator" about={ABOUT} actions={phones.length > 0 && add} />
      <Clock mayAct={mayAct} />
      {phones.length === 0 ? (
        <EmptyState
          title="No phones yet"
          text="Take any number, one that your campaigns have reached, or one that behaves in a certain way by itself."
          action={<Group justify="center">{add}</Group>}
        />
      ) : (
        <div className={styles.phones}>
          {phones.map((phone) => (
            <Handset
              key={phone}
              phone={phone}
              mayAct={mayAct}
              remove={() => show(phones.filter((other) => other !== phone))}
            />
          ))}
        </div>
      )}
      <AddPhone
        isOpen={isAdding}
        close={() => setAdding(false)}
        shown={phones}
        add={(phone) => {
          show([...phones, phone]);
          setAdding(false);
        }}
      />
    </>
  );
}
