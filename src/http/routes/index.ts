import type { Edge } from "../route.ts";
import { agentRoutes } from "./agents.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { areaCodeRoutes } from "./area-codes.ts";
import { brandRoutes } from "./brands.ts";
import { campaignRoutes } from "./campaigns.ts";
import { contactRoutes } from "./contacts.ts";
import { doNotCallRoutes } from "./do-not-call.ts";
import { organizationRoutes } from "./organizations.ts";
import { simulatorRoutes } from "./simulator.ts";
import { threadRoutes } from "./threads.ts";

/** Every route of /v1, a file a noun. */
export function addRoutes(edge: Edge): void {
  organizationRoutes(edge);
  agentRoutes(edge);
  apiKeyRoutes(edge);
  areaCodeRoutes(edge);
  brandRoutes(edge);
  contactRoutes(edge);
  doNotCallRoutes(edge);
  campaignRoutes(edge);
  threadRoutes(edge);
  simulatorRoutes(edge);
}
