import * as contract from "#contract/contacts/evidence.ts";
import { requireId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { evidenceKeys, makeEvidence } from "#operations/contacts/make-evidence.ts";

export function evidenceRoutes(edge: Edge): void {
  route(edge, contract.getEvidence, async ({ ctx, caller, params, query }) => {
    const id = requireId("contact", params.lead_id, "Contact");
    const { audited } = caller;
    const by = { ...audited!, tenantId: caller.accountId, outcome: "done" as const };
    return makeEvidence(ctx, caller, id, { by, recordings: query.recordings === true });
  });

  route(edge, contract.getEvidenceKey, async ({ ctx }) => ({
    keys: (await evidenceKeys(ctx)).map(({ fingerprint, publicKey, isCurrent }) => ({
      ...{ fingerprint, public_key: publicKey, is_current: isCurrent },
    })),
  }));
}
