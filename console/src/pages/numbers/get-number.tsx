import { Paper, Stack, Text } from "@mantine/core";
import { useRef } from "react";
import { useNavigate } from "react-router";
import { useCan } from "#api/session.ts";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { useShortcuts } from "#parts/keyboard/use-shortcuts.ts";
import { NumberOffer } from "#parts/numbers/number-offer.tsx";
import { TypedFilter } from "#parts/numbers/typed-filter.tsx";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { AreaCodes } from "./area-codes.tsx";
import classes from "./numbers.module.css";

const BACK = { to: "/numbers", label: "Numbers" };

/** Choosing an area code by where it is, and a number in it. */
export function Component() {
  const mayWrite = useCan("write");
  const [{ q, area_code, contains }, setFilters] = useSearchFilters(["q", "area_code", "contains"]);
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ find: () => field.current?.focus() });
  if (!mayWrite) {
    return (
      <>
        <PageHeader title="Get a number" back={BACK} />
        <EmptyState title="Your permission does not include getting numbers" text="Ask an administrator for one." />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Get a number"
        back={BACK}
        about="People answer a number of their own area more often: choose where, then which."
      />
      <div className={classes.columns}>
        <Stack component="section" aria-label="Area codes" gap="sm" miw={0}>
          <TypedFilter
            field={field}
            label="Find an area code"
            placeholder="Area code, state or city"
            value={q ?? ""}
            onChange={(text) => setFilters({ q: text })}
          />
          <AreaCodes search={q ?? ""} chosen={area_code} choose={(code) => setFilters({ area_code: code })} />
        </Stack>
        <Paper p="md" component="section" aria-label="Numbers to be had" className={classes.offer}>
          {area_code === undefined ? (
            <Text size="sm" c="dimmed">
              Choose an area code: the numbers that can be had in it are shown here.
            </Text>
          ) : (
            <NumberOffer
              key={area_code}
              areaCode={area_code}
              contains={contains ?? ""}
              setContains={(digits) => setFilters({ contains: digits })}
              onTaken={(number) => void navigate(`/numbers?number=${encodeURIComponent(number)}`)}
            />
          )}
        </Paper>
      </div>
    </>
  );
}
