import * as contract from "#contract/numbers/toll-free.ts";
import { tollFreeRecord } from "#domain/numbers/toll-free.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import {
  getTollFreeVerification,
  listTollFreeVerifications,
  requestTollFreeVerification,
  resubmitTollFreeVerification,
  TOLL_FREE_KEY,
} from "#operations/registration/toll-free.ts";

export function tollFreeRoutes(edge: Edge): void {
  route(edge, contract.createTollFreeVerification, async ({ ctx, caller, body, signal }) =>
    tollFreeRecord(await requestTollFreeVerification(ctx, caller, body.phone_number, body, signal)),
  );

  route(edge, contract.listTollFreeVerifications, async ({ ctx, caller, query, signal }) => {
    const page = await listTollFreeVerifications(ctx, caller, textPageRequest(query, TOLL_FREE_KEY), signal);
    return pageAnswer("verifications", page, tollFreeRecord);
  });

  route(edge, contract.getTollFreeVerification, async ({ ctx, caller, params, signal }) =>
    tollFreeRecord(await getTollFreeVerification(ctx, caller, params.phone_number, signal)),
  );

  route(edge, contract.resubmitTollFreeVerification, async ({ ctx, caller, params, body, signal }) =>
    tollFreeRecord(await resubmitTollFreeVerification(ctx, caller, params.phone_number, body, signal)),
  );
}
