import { Alert, Button, Group, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { messageOf } from "#api/error.ts";
import { useAnswer, usePages, useSend } from "#api/query.ts";
import { useCan, useOrganization, useSession } from "#api/session.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { formatPhone } from "#parts/show/phone-number.tsx";
import classes from "./number-offer.module.css";
import { TypedFilter } from "./typed-filter.tsx";

const OFFERED = 20;
const TYPED_MS = 300;

/** The numbers that can be had in an area code. One that is taken is the organization's at once. */
export function NumberOffer({
  areaCode,
  contains,
  setContains,
  onTaken,
}: {
  areaCode: string;
  contains: string;
  setContains: (digits: string) => void;
  onTaken: (phoneNumber: string) => void;
}) {
  const { organization_id } = useOrganization();
  const [digits] = useDebouncedValue(contains.replace(/\D/g, "").slice(0, 10), TYPED_MS);
  const accounts = useAccounts();
  const [chosen, setChosen] = useState<string | null>(null);
  const account = accounts.length > 1 ? (chosen ?? accounts[0]!.carrier_id) : undefined;
  const by = account === undefined ? {} : { carrier_id: account };
  const offer = useAnswer("GET /v1/voice/phone-numbers/search", {
    query: {
      ...{ area_code: areaCode, limit: OFFERED, organization_id, ...by },
      ...(digits === "" ? {} : { contains: digits }),
    },
  });
  const places = useAnswer("GET /v1/10dlc/phone-numbers/area-codes", { query: { areaCode, limit: "4" } }).data;
  const buy = useSend("POST /v1/voice/phone-numbers/purchase", ["GET /v1/voice/phone-numbers"], { isShown: true });
  const buying = buy.isPending ? buy.variables.body.phone_number : undefined;
  const take = (phone_number: string) =>
    buy.mutate({ body: { phone_number, organization_id, ...by } }, { onSuccess: () => onTaken(phone_number) });
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
      {accounts.length > 1 && (
        <Select
          label="By the account"
          allowDeselect={false}
          data={accounts.map(({ carrier_id, name }) => ({ value: carrier_id, label: name }))}
          value={account ?? null}
          onChange={setChosen}
        />
      )}
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

/** Kinds of carriers that give out numbers. */
const SELLERS = new Set(["twilio", "telnyx"]);

/** The connected accounts that numbers can be bought by. Who does not see accounts has none to choose from. */
function useAccounts() {
  const { mode } = useSession();
  const maySee = useCan("read", { tenantWide: true });
  const carriers = usePages("GET /v1/carriers", "carriers", mode === "live" && maySee ? {} : undefined);
  return carriers.rows.filter(({ kind, status }) => SELLERS.has(kind) && status === "connected");
}
