import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ComponentType, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useCan, useOrganization } from "#api/session.ts";
import { EmptyState } from "#parts/page/empty-state.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { useDraft } from "./draft.ts";
import { type CampaignFailure, campaignErrors } from "./errors.ts";

/** How a kind of campaign is called, and where its pages are. */
export type CampaignKind = {
  /** Begins the name under which its drafts are kept. */
  key: string;
  title: string;
  back: { to: string; label: string };
  /** Said to whom may only look. */
  refusal: string;
};

/** Which campaign a new one copies, by `?from=<campaign>`, of its recipients in `&state=`. */
export function useCopied(): { from: string | null; state: string | null } {
  const [search] = useSearchParams();
  return { from: search.get("from"), state: search.get("state") };
}

/**
 * The page of a new campaign, as soon as what it copies is there.
 *
 * @param copied the answer of `useCopied`; `source` the API's, about that campaign
 * @param Form gets a name for what will be filled in, and what it begins with: `empty`, or what `draftOf` makes of the copied one
 */
export function NewCampaign<Campaign, Draft>({
  kind,
  copied: { from, state },
  source,
  empty,
  draftOf,
  Form,
}: {
  kind: CampaignKind;
  copied: { from: string | null; state: string | null };
  source: UseQueryResult<{ campaign: Campaign }>;
  empty: Draft;
  draftOf: (campaign: Campaign, state: string | null) => Draft;
  Form: ComponentType<{ name: string; first: () => Draft }>;
}) {
  const maySend = useCan("send");
  if (!maySend) {
    return (
      <>
        <PageHeader title={kind.title} back={kind.back} />
        <EmptyState
          title={kind.refusal}
          text="Your account may look at campaigns, not start them. An admin can change that."
        />
      </>
    );
  }
  if (from && source.error) return <ErrorState error={source.error} retry={() => void source.refetch()} />;
  if (from && source.isPending) return <Skeleton h={320} />;
  const name = kind.key + (from ? `-${from}-${state}` : "");
  return (
    <Form key={name} name={name} first={() => (source.data && from ? draftOf(source.data.campaign, state) : empty)} />
  );
}

/**
 * A campaign on its way from a draft to the launch, and what the API said of it.
 *
 * @param name one for each kind of campaign and copy
 * @param parts `preflight` asks what it would do, `launch` answers its id; `audience` and `number` as in campaignErrors;
 *   `path` of the kind's pages
 */
export function useWizard<Draft extends object, Preflight>(
  name: string,
  first: () => Draft,
  parts: {
    preflight: () => Promise<Preflight>;
    launch: () => Promise<string>;
    audience: string;
    number: string;
    path: string;
  },
) {
  const { organization_id } = useOrganization();
  const navigate = useNavigate();
  const { draft, change, startOver, isFound } = useDraft(`${name}-${organization_id}`, first);
  const [failure, setFailure] = useState<CampaignFailure>();
  /** What the last check of this draft said; undefined while there is none. */
  const [checked, setChecked] = useState<Preflight>();
  /** Counts what was asked and edited: an answer about a draft that has been changed since, or that was asked again, says nothing of this one. */
  const latest = useRef(0);
  /** Undefined when the API refuses: the failure says why. */
  const asked = async <Answer,>(
    ask: () => Promise<Answer>,
    isOvertaken: () => boolean,
  ): Promise<Answer | undefined> => {
    setFailure(undefined);
    try {
      return await ask();
    } catch (error) {
      if (!isOvertaken()) setFailure(campaignErrors(error, parts.audience, parts.number));
      return undefined;
    }
  };
  const errors = failure?.fields ?? {};
  return {
    draft,
    isFound,
    startOver,
    failure,
    errors,
    audienceField: parts.audience,
    audienceError: errors[parts.audience] ?? errors.list_id ?? errors.from_campaign,
    checked,
    /** Whether nothing is missing; what is, by the API's name of its field, is said there. */
    passes: (missing: Readonly<Record<string, string | false>>) => {
      const fields = Object.fromEntries(
        Object.entries(missing).filter((entry): entry is [string, string] => entry[1] !== false),
      );
      if (Object.keys(fields).length === 0) return true;
      setFailure({ message: "", fields });
      return false;
    },
    edit: (some: Partial<Draft>) => {
      latest.current++;
      setFailure(undefined);
      setChecked(undefined);
      change(some);
    },
    /** Keeps what the service has made of the draft, which itself stays what was or is being checked. */
    note: change,
    check: async () => {
      const mine = ++latest.current;
      const isOvertaken = () => mine !== latest.current;
      setChecked(undefined);
      const preflight = await asked(parts.preflight, isOvertaken);
      if (!isOvertaken()) setChecked(preflight);
      return preflight;
    },
    start: async () => {
      const id = await asked(parts.launch, () => false);
      if (id === undefined) return;
      startOver();
      await navigate(`${parts.path}/${encodeURIComponent(id)}`);
    },
  };
}
