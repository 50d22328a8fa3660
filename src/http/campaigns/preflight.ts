import * as contract from "#contract/campaigns/preflight.ts";
import { type Edge, route } from "#http/server/route.ts";

const NO_BYTES = new Uint8Array();

export function preflightRoutes(edge: Edge): void {
  // A bulk body comes as bytes, or not at all.
  route(edge, contract.preflightNewCampaign, ({ caller, body }) =>
    edge.bulk("preflight-new-campaign", caller, {}, (body as unknown as Uint8Array | undefined) ?? NO_BYTES),
  );

  route(edge, contract.preflightNewVoiceCampaign, ({ caller, body }) =>
    edge.bulk("preflight-new-voice-campaign", caller, {}, (body as unknown as Uint8Array | undefined) ?? NO_BYTES),
  );

  route(edge, contract.preflightCampaign, ({ caller, params }) =>
    edge.bulk("preflight-campaign", caller, params, NO_BYTES),
  );
}
