import * as contract from "#contract/requests.ts";
import { publicId } from "#domain/id.ts";
import { pageRequest } from "#domain/paging.ts";
import { listRequests } from "#operations/read-requests.ts";
import { pageAnswer } from "../page.ts";
import { type Edge, route } from "../route.ts";

export function requestRoutes(edge: Edge): void {
  route(edge, contract.listRequests, async ({ ctx, caller, query }) => {
    const { status, method, operation, class: of } = query;
    const page = await listRequests(ctx, caller, { ...pageRequest(query), status, method, operation, class: of });
    return pageAnswer("requests", page, ({ id, at, key_id, user_id, ...it }) => ({
      request_id: id,
      at: at.toISOString(),
      ...it,
      key_id: user_id === null ? publicId("apiKey", key_id) : null,
      user_id: user_id === null ? null : publicId("user", user_id),
    }));
  });
}
