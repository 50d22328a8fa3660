import * as contract from "#contract/system/requests.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { listRequests } from "#operations/system/read-requests.ts";

export function requestRoutes(edge: Edge): void {
  route(edge, contract.listRequests, async ({ ctx, caller, query }) => {
    const { status, method, operation, class: of, by } = query;
    const userId = query.user_id === undefined ? undefined : requireId("user", query.user_id, "User");
    const wanted = { ...pageRequest(query), status, method, operation, class: of, by, userId };
    const page = await listRequests(ctx, caller, wanted);
    return pageAnswer("requests", page, ({ id, at, key_id, user_id, ...rest }) => ({
      request_id: id,
      at: at.toISOString(),
      ...rest,
      key_id: user_id === null ? publicId("apiKey", key_id) : null,
      user_id: user_id === null ? null : publicId("user", user_id),
    }));
  });
}
