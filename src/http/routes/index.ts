import type { Edge } from "../route.ts";
import { agentRoutes } from "./agents.ts";
import { analyticsRoutes } from "./analytics.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { areaCodeRoutes } from "./area-codes.ts";
import { brandRoutes } from "./brands.ts";
import { callRoutes } from "./calls.ts";
import { campaignRoutes } from "./campaigns.ts";
import { consentRoutes } from "./consents.ts";
import { contactabilityRoutes } from "./contactability.ts";
import { contactRoutes } from "./contacts.ts";
import { doNotCallRoutes } from "./do-not-call.ts";
import { importRoutes } from "./imports.ts";
import { organizationRoutes } from "./organizations.ts";
import { phoneNumberRoutes } from "./phone-numbers.ts";
import { preflightRoutes } from "./preflight.ts";
import { simulatorRoutes } from "./simulator.ts";
import { tenDlcCampaignRoutes } from "./ten-dlc-campaigns.ts";
import { threadRoutes } from "./threads.ts";
import { voiceCampaignRoutes } from "./voice-campaigns.ts";

/** Every route of /v1, a file a noun. */
export function addRoutes(edge: Edge): void {
  organizationRoutes(edge);
  agentRoutes(edge);
  apiKeyRoutes(edge);
  areaCodeRoutes(edge);
  brandRoutes(edge);
  tenDlcCampaignRoutes(edge);
  consentRoutes(edge);
  contactRoutes(edge);
  importRoutes(edge);
  doNotCallRoutes(edge);
  contactabilityRoutes(edge);
  preflightRoutes(edge);
  campaignRoutes(edge);
  phoneNumberRoutes(edge);
  callRoutes(edge);
  analyticsRoutes(edge);
  voiceCampaignRoutes(edge);
  threadRoutes(edge);
  simulatorRoutes(edge);
}
