import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

type Page = { organizationId: Uuid; before: Uuid; limit: number; status: string | undefined };

/** How the campaigns of one channel are read. Both channels share a table; to the reads of one, those of the other are not there. */
export function readsOf<C extends { status: string }>(channel: "sms" | "voice", noun: string, columns: string) {
  const findCampaign = statement(
    `find-${noun}`,
    `select ${columns} from campaigns where tenant_id = $1 and campaign_id = $2 and channel = '${channel}'`,
  );
  const listCampaigns = statement(
    `list-${noun}s`,
    `select ${columns} from campaigns
   where tenant_id = $1 and organization_id = $2 and id < $3 and channel = '${channel}' and status <> 'deleted'
     and ($4::text is null or status = $4)
   order by id desc limit $5`,
  );

  /** By the caller's own id; deleted ones too. */
  const find = (tx: Tx, tenantId: Uuid, campaignId: string): Promise<C | undefined> =>
    tx.first<C>(findCampaign, [tenantId, campaignId]);

  /** By the caller's own id: a deleted one is a 404, as one that never was. */
  const living = async (tx: Tx, tenantId: Uuid, campaignId: string): Promise<C> => {
    const campaign = await find(tx, tenantId, campaignId);
    if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
    return campaign;
  };

  const list = (tx: Tx, tenantId: Uuid, { organizationId, before, status, limit }: Page): Promise<C[]> =>
    tx.rows<C>(listCampaigns, [tenantId, organizationId, before, status ?? null, limit + 1]);

  return { find, living, list };
}
