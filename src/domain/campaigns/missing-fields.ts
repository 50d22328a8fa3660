import type { Lead, LeadFields } from "#domain/contacts/lead.ts";
import { compileTemplate, requiredVariables } from "#domain/messaging/template.ts";
import { dripsOf } from "#domain/sending/templates.ts";

/** A contact of a campaign. */
export type Recipient = { phone: string; fields: LeadFields };

/** A text of an agent's, what it is called, and what becomes of a contact that lacks one of its fields. `isFirst`: without it none follows. */
type Wording = { template: string; name: string; effect: string; isFirst?: boolean };

type AgentTexts = {
  agent_type?: unknown;
  starting_message?: unknown;
  voicemail_message?: unknown;
  drip_schedule?: unknown;
};

/** So many are named of those who lack a field: enough to find the fault in a file. */
const MOST_NAMED = 5;
/** Of an agent with more such fields the first are warned of. */
const MOST_WARNINGS = 20;

/** Counts contacts without a field that an agent's texts need, one contact after the other: made for 100,000. */
export type MissingFields = {
  /** Whether no contact could lack anything. */
  isEmpty: boolean;
  lacksAny(contact: Recipient): boolean;
  add(contact: Recipient): void;
  /**
   * A sentence for each text and field: how many lack it, what becomes of them, and the first of them: by number, with their place in the
   * request's `field` if they are among its leads.
   */
  warnings(request?: { given: readonly Lead[]; field: string }): string[];
};

export function missingFields(config: AgentTexts): MissingFields {
  const needs = wordingsOf(config).flatMap((wording) =>
    requiredVariables(wording.template).map((field) => ({
      wording,
      field,
      render: compileTemplate(`{{${field}}}`),
      count: 0,
      first: [] as string[],
    })),
  );
  const lackedBy = ({ phone, fields }: Recipient) => {
    const all = { ...fields, phone_number: phone };
    return needs.filter(({ render }) => render(all).problem !== undefined);
  };
  return {
    isEmpty: needs.length === 0,
    lacksAny: (contact) => lackedBy(contact).length > 0,
    add(contact) {
      const lacked = lackedBy(contact);
      const hasNone = lacked.some(({ wording }) => wording.isFirst);
      for (const need of lacked) {
        if (hasNone && !need.wording.isFirst) continue;
        need.count++;
        if (need.first.length < MOST_NAMED) need.first.push(contact.phone);
      }
    },
    warnings: (request) =>
      needs
        .filter(({ count }) => count > 0)
        .slice(0, MOST_WARNINGS)
        .map(({ wording, field, count, first }) => {
          const who = count === 1 ? "1 contact lacks" : `${count} contacts lack`;
          const others = count > first.length ? ` and ${count - first.length} more` : "";
          return `${who} ${field}, which the ${wording.name} needs, and ${wording.effect}: ${first.map((phone) => named(phone, request)).join(", ")}${others}`;
        }),
  };
}

function named(phone: string, request: { given: readonly Lead[]; field: string } | undefined): string {
  const lead = request?.given.find((each) => each.phone === phone);
  return lead ? `${request!.field}[${lead.index}] (${phone})` : phone;
}

function wordingsOf(config: AgentTexts): Wording[] {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const starting = { template: text(config.starting_message), name: "starting message" };
  if (config.agent_type === "voice") {
    return [
      { ...starting, effect: "the agent introduces itself instead" },
      {
        template: text(config.voicemail_message),
        name: "voicemail message",
        effect: "no message is left on a voicemail",
      },
    ];
  }
  return [
    { ...starting, effect: "no text is sent", isFirst: true },
    ...dripsOf(config).map(({ day, message }) => ({
      template: message,
      name: `follow-up of day ${day}`,
      effect: "that one is not sent",
    })),
  ];
}
