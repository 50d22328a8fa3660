import { ApiError, fieldErrors, messageOf } from "#api/error.ts";

/**
 * What the API said of a campaign that it did not take: a sentence, and one for each field that it is about. `isLost` where no answer came: what was
 * asked may be asked again as it is.
 */
export type CampaignFailure = { message: string; fields: Record<string, string>; isLost?: boolean };

/** Of an audience with nobody in it. */
export const NOBODY = "Choose a list or paste contacts";

/**
 * What is wrong with one contact of many is said of the audience, with which one it is. A number that may not be used comes
 * without its field.
 *
 * @param audience the operation's name for the contacts
 * @param number its name for the number that texts or calls come from
 */
export function campaignErrors(error: unknown, audience: string, number: string): CampaignFailure {
  const fields = fieldErrors(error);
  for (const [field, message] of Object.entries(fields)) {
    const [, name, index, part] = /^(\w+)\.(\d+)(?:\.(.*))?$/.exec(field) ?? [];
    if (name !== audience) continue;
    fields[audience] ??= `Contact ${Number(index) + 1}: ${part} ${message}`;
    delete fields[field];
  }
  // Said of a request; a person chooses in another way.
  if (/^(?:Enter |is required)/.test(fields[audience] ?? "")) fields[audience] = NOBODY;
  if (error instanceof ApiError && ["sms_not_enabled", "voice_not_enabled"].includes(error.code)) {
    fields[error.message.startsWith("sms_agent_id") ? "sms_agent_id" : number] ??= error.message;
  }
  const isLost = error instanceof ApiError && error.code === "no_connection";
  return { message: messageOf(error), fields, isLost };
}
