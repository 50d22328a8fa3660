import { Checkbox, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "#api/client.ts";
import type { Answer } from "#api/operations.ts";
import { useAnswer, useSend } from "#api/query.ts";
import { useCan, useSession } from "#api/session.ts";
import { ConfirmButton } from "#parts/form/confirm-button.tsx";
import { Money, whole } from "#parts/show/figures.tsx";

const LOOK_UP = "POST /v1/contacts/lists/:list_id/line-types";
type List = Answer<"GET /v1/contacts/lists/:list_id">["list"];

/** Whether the look-ups that carriers take money for are this person's to ask for: in live mode, of the whole tenant. */
export function useMayLookUp(): boolean {
  const { mode } = useSession();
  return useCan("write", { tenantWide: true }) && mode === "live";
}

/** Has the lines of the list's phones looked up, once it has said how many these are and what they cost. */
export function LookUpList({ list }: { list: List }) {
  const mayLookUp = useMayLookUp();
  const params = { list_id: list.list_id };
  const lookUp = useSend(LOOK_UP, ["GET /v1/contacts/lists/:list_id"], {
    isShown: true,
  });
  if (!mayLookUp || list.line_lookup?.status === "importing" || list.line_lookup?.status === "waiting") return null;
  return (
    <ConfirmButton
      title="Look up the lines of this list?"
      text={<Cost params={params} />}
      confirm="Look them up"
      color="blue"
      onConfirm={() => lookUp.mutateAsync({ params, body: {} })}
    >
      Look up lines
    </ConfirmButton>
  );
}

function Cost({ params }: { params: { list_id: string } }) {
  const { data, error } = useQuery({
    queryKey: [LOOK_UP, params],
    queryFn: () => call(LOOK_UP, { params, body: { dry_run: true } }),
    gcTime: 0,
  });
  if (error) return <Text>{error.message}</Text>;
  if (!data) return <Text>It is counted what that costs.</Text>;
  return (
    <Text>
      {whole(data.contacts - data.known)} of {whole(data.contacts)} phones are not known. Your account with the carrier
      pays about <Money amount={data.amount} /> for them, <Money amount={data.price_per_lookup} /> each.
      {data.spend_left !== null && (
        <>
          {" "}
          <Money amount={data.spend_left} /> are left of today's spend limit; beyond it nothing is looked up.
        </>
      )}
    </Text>
  );
}

/** How far the look-up of a list's lines is, behind what else is said of it. */
export function HowFar({ of }: { of: List["line_lookup"] }) {
  if (of === null) return null;
  if (of.status === "failed") return <>. Its lines could not be looked up: {of.error}</>;
  if (of.status === "completed") return <>, {whole(of.looked_up)} lines looked up</>;
  return <>, {whole(of.looked_up)} lines looked up so far</>;
}

/** The choice of an import. */
export function LookUpChoice({ is, set, rows }: { is: boolean; set: (is: boolean) => void; rows: number | undefined }) {
  const mayLookUp = useMayLookUp();
  const { data } = useAnswer("GET /v1/sending", {});
  if (!mayLookUp) return null;
  const price = data?.sending.price_per_lookup;
  return (
    <Checkbox
      label="Look up the lines of these phones once they are imported"
      description={
        <>
          Your account with the carrier pays {price !== undefined && <Money amount={price} />} for each of{" "}
          {rows === undefined ? "the" : `up to ${whole(rows)}`} look-ups
          {price !== undefined && rows !== undefined && (
            <>
              , about <Money amount={String(rows * Number(price))} /> at most
            </>
          )}
          . Beyond the day's spend limit the import is refused. Landlines then show in a campaign's check.
        </>
      }
      checked={is}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  );
}
