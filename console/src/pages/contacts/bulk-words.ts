import type { Answer, Args } from "#api/operations.ts";
import { whole } from "#parts/show/figures.tsx";

type Body = Args<"POST /v1/contacts/leads/actions">["body"];
export type Action = Body["action"];
export type Filter = NonNullable<Body["filter"]>;
export type Done = Answer<"POST /v1/contacts/leads/actions">;

/** Who is chosen: these, or all that match. */
export type Chosen = { ids: readonly string[] } | { filter: Filter; count: number };

export const countOf = (chosen: Chosen): number => ("ids" in chosen ? chosen.ids.length : chosen.count);

/** "1 contact", "12 contacts" */
export const people = (count: number): string => `${whole(count)} ${count === 1 ? "contact" : "contacts"}`;

type Words = { menu: string; title: (who: string) => string; submit: string; done: (who: string) => string };

export const WORDS: Readonly<Record<Action, Words>> = {
  tag: { menu: "Add a tag", title: (who) => `Tag ${who}`, submit: "Add the tag", done: (who) => `${who} tagged` },
  untag: {
    menu: "Remove a tag",
    title: (who) => `Remove a tag from ${who}`,
    submit: "Remove the tag",
    done: (who) => `Tag removed from ${who}`,
  },
  add_to_list: {
    menu: "Add to a list",
    title: (who) => `Add ${who} to a list`,
    submit: "Add to the list",
    done: (who) => `${who} added to the list`,
  },
  remove_from_list: {
    menu: "Remove from a list",
    title: (who) => `Remove ${who} from a list`,
    submit: "Remove from the list",
    done: (who) => `${who} removed from the list`,
  },
  do_not_call: {
    menu: "Do not call",
    title: (who) => `Put ${who} on the do-not-call list?`,
    submit: "Put on the do-not-call list",
    done: (who) => `${who} put on the do-not-call list`,
  },
  may_call: {
    menu: "May call again",
    title: (who) => `Take ${who} off the do-not-call list?`,
    submit: "Take off the list",
    done: (who) => `${who} taken off the do-not-call list`,
  },
  unsubscribe: {
    menu: "Unsubscribe",
    title: (who) => `Unsubscribe ${who}?`,
    submit: "Unsubscribe",
    done: (who) => `${who} unsubscribed`,
  },
  erase: { menu: "Erase", title: (who) => `Erase ${who}?`, submit: "Erase for good", done: (who) => `${who} erased` },
};

const SKIPPED: Readonly<Record<Done["skipped"][number]["reason"], string>> = {
  not_found: "no longer there",
  already_tagged: "had the tag",
  not_tagged: "did not have the tag",
  too_many_tags: "no room for another tag",
  already_on_list: "on the list already",
  not_on_list: "not on the list",
  already_listed: "listed already",
  not_listed: "not listed",
  listed_for_all_organizations: "listed for all organizations: take those off on the Do not call page",
  already_opted_out: "had opted out already",
};

/** "2 contacts tagged. Skipped: 1 had the tag." */
export function outcomeOf({ action, done, skipped }: Done): string {
  const left = skipped.map(({ reason, count }) => `${whole(count)} ${SKIPPED[reason]}`).join(", ");
  return `${WORDS[action].done(people(done))}.${left && ` Skipped: ${left}.`}`;
}

/** What takes it back. */
export const OPPOSITE: Partial<Record<Action, Action>> = {
  tag: "untag",
  untag: "tag",
  add_to_list: "remove_from_list",
  remove_from_list: "add_to_list",
};
