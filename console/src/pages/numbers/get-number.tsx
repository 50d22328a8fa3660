import { Alert, Button, Group, Paper, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type RefObject, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { messageOf } from "#api/error.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useOrganization } from "#api/session.ts";
import { useSearchFilters } from "#parts/form/search-filters.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import { AreaCodes } from "./area-codes.tsx";
import classes from "./numbers.module.css";

const OFFERED = 20;
const TYPED_MS = 300;
const BACK = { to: "/numbers", label: "Numbers" };

/** Choosing an area code by where it is, and a number in it. */
export function Component() {
  const mayWrite = useCan("write");
  const [{ q, area_code, contains }, setFilters] = useSearchFilters(["q", "area_code", "contains"]);
  const field = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => field.current?.focus()]]);
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
            <Offer
              key={area_code}
              areaCode={area_code}
              contains={contains ?? ""}
              setContains={(digits) => setFilters({ contains: digits })}
            />
          )}
        </Paper>
      </div>
    </>
  );
}

function Offer({
  areaCode,
  contains,
  setContains,
}: {
  areaCode: string;
  contains: string;
  setContains: (digits: string) => void;
}) {
  const { organization_id } = useOrganization();
  const navigate = useNavigate();
  const [digits] = useDebouncedValue(contains.replace(/\D/g, "").slice(0, 10), TYPED_MS);
  const offer = useAnswer("GET /v1/voice/phone-numbers/search", {
    query: { area_code: areaCode, limit: OFFERED, ...(digits === "" ? {} : { contains: digits }) },
  });
  const places = useAnswer("GET /v1/10dlc/phone-numbers/area-codes", { query: { areaCode, limit: "4" } }).data;
  const buy = useSend("POST /v1/voice/phone-numbers/purchase", ["GET /v1/voice/phone-numbers"], { isShown: true });
  const buying = buy.isPending ? buy.variables.body.phone_number : undefined;
  const take = (phone_number: string) =>
    buy.mutate(
      { body: { phone_number, organization_id } },
      { onSuccess: () => void navigate(`/numbers?number=${encodeURIComponent(phone_number)}`) },
    );
  return (
    <Stack gap="sm">
      <div>
        <Title order={2}>Area code {areaCode}</Title>
        {places && (
          <Text size="sm" c="dimmed">
            {[...new Set(places.area_codes.map(({ city, state }) => `${city}, ${state}`))].join(" · ")}
            {places.total > places.count && " …"}
          </Text>
        )}
      </div>
      <TypedFilter
        label="Digits that are to be in the number"
        placeholder="Digits that are to be in it"
        inputMode="numeric"
        value={contains}
        onChange={setContains}
      />
      {buy.error && (
        <Alert color="red" role="alert">
          {messageOf(buy.error)}
        </Alert>
      )}
      {offer.error ? (
        <ErrorState error={offer.error} retry={() => void offer.refetch()} />
      ) : offer.data === undefined ? (
        <Skeleton h={240} />
      ) : offer.data.count === 0 ? (
        <Text size="sm" c="dimmed">
          {digits === ""
            ? "The carrier has no number in this area code now. Choose one nearby."
            : "No number has these digits. Try fewer."}
        </Text>
      ) : (
        <ul className={classes.offered} aria-label="Numbers">
          {offer.data.phone_numbers.map(({ phone_number }) => (
            <li key={phone_number}>
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" fw={550}>
                  {formatPhone(phone_number)}
                </Text>
                <Button
                  size="compact-sm"
                  variant="light"
                  aria-label={`Get ${formatPhone(phone_number)}`}
                  loading={buying === phone_number}
                  disabled={buying !== undefined && buying !== phone_number}
                  onClick={() => take(phone_number)}
                >
                  Get
                </Button>
              </Group>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

/** A filter that is typed: the URL follows what is in the field, never the other way while somebody types. Escape empties it. */
function TypedFilter({
  field,
  label,
  placeholder,
  inputMode,
  value,
  onChange,
}: {
  field?: RefObject<HTMLInputElement | null>;
  label: string;
  placeholder: string;
  inputMode?: "numeric";
  value: string;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const set = (next: string) => {
    setText(next);
    onChange(next);
  };
  return (
    <TextInput
      ref={field}
      type="search"
      inputMode={inputMode}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={15} aria-hidden />}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Escape" && set("")}
    />
  );
}
