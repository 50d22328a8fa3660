import type { Edge } from "../route.ts";
import { organizationRoutes } from "./organizations.ts";

/** Every route of /v1, a file a noun. */
export function addRoutes(edge: Edge): void {
  organizationRoutes(edge);
}
