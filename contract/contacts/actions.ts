import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { freeText, id, nullable, tenantId, text } from "#contract/values/shapes.ts";

export const CONTACT_ACTIONS = [
  "tag",
  "untag",
  "add_to_list",
  "remove_from_list",
  "do_not_call",
  "may_call",
  "unsubscribe",
  "erase",
] as const;
export type ContactAction = (typeof CONTACT_ACTIONS)[number];

/** Ids that one request may name, or return. */
export const MAX_CHOSEN_IDS = 10_000;

/** Why an action leaves a contact as it is. */
export const SKIP_REASONS = [
  "not_found",
  "already_tagged",
  "not_tagged",
  "too_many_tags",
  "already_on_list",
  "not_on_list",
  "already_listed",
  "not_listed",
  "listed_for_all_organizations",
  "already_opted_out",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const changeContacts = operation({
  id: "changeContacts",
  method: "POST",
  path: "/v1/contacts/leads/actions",
  tag: "Contacts",
  summary: "Do one thing with many contacts of an organization: with those that are named, or with all that match",
  scope: "write",
  load: "bulk",
  body: Type.Object({
    organization_id: id("organization"),
    action: Type.Enum([...CONTACT_ACTIONS], {
      description:
        "do_not_call and may_call: the organization's own entry of the do-not-call list. unsubscribe: an opt-out, for the whole tenant, which only the contact or a later consent ends. erase: for good",
    }),
    lead_ids: Type.Optional(
      Type.Array(id("contact"), {
        minItems: 1,
        maxItems: MAX_CHOSEN_IDS,
        description: "The contacts; this or `filter`",
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          search: Type.Optional(freeText(100, "As `search` of GET /v1/contacts/leads")),
          list_id: Type.Optional(id("list: its contacts alone")),
          opted_out: Type.Optional(Type.Boolean()),
          tag: Type.Optional(text(50, "Only those who have it")),
        },
        { description: "All that match, up to 100,000 (10,000 to erase); an empty filter matches every contact" },
      ),
    ),
    tag: Type.Optional(text(50, "For tag and untag: without comma or semicolon; small and large letters are the same")),
    list_id: Type.Optional(id("list, for add_to_list and remove_from_list")),
    reason: Type.Optional(freeText(500, "For do_not_call")),
    expected_count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "How many contacts the caller believes that these are; 409 when they are others. erase needs it: `dry_run` returns it as `matched`",
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Only count who matches; nothing is changed" })),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({
    action: Type.Enum([...CONTACT_ACTIONS]),
    matched: Type.Integer({ description: "Contacts that were found" }),
    done: Type.Integer({ description: "Contacts that the action has changed; with `dry_run` 0" }),
    skipped: Type.Array(Type.Object({ reason: Type.Enum([...SKIP_REASONS]), count: Type.Integer() }), {
      description: "Contacts that were left as they are, by reason",
    }),
    changed_lead_ids: nullable(
      Type.Array(Type.String(), {
        description:
          "Of tag, untag, add_to_list and remove_from_list: who was changed, to undo it by the opposite action; null when there are more than 10,000, and for other actions",
      }),
    ),
  }),
});
