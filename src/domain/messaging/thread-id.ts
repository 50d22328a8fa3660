/** The parts of `{phone_number}_{campaign_id}`, split at its first underscore; undefined when it is not one. */
export function parseThreadId(text: string): { phone: string; campaignId: string } | undefined {
  const at = text.indexOf("_");
  if (at < 1 || at === text.length - 1) return undefined;
  const phone = text.slice(0, at);
  return /^\+\d{5,15}$/.test(phone) ? { phone, campaignId: text.slice(at + 1) } : undefined;
}
