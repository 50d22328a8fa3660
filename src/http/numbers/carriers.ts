import * as contract from "#contract/numbers/carriers.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import { deleteCarrier, updateCarrier } from "#operations/numbers/change-carrier.ts";
import { checkCarrier, connectCarrier, rotateCarrier } from "#operations/numbers/connect-carrier.ts";
import { createCarrier } from "#operations/numbers/create-carrier.ts";
import { getCarrier, listCarriers } from "#operations/numbers/read-carriers.ts";

export function carrierRoutes(edge: Edge): void {
  const { publicUrl } = edge.ctx;
  const view = ({
    carrier,
    revision: _,
    id: __,
    organization_id,
    last_checked_at,
    created_at,
    lent_from,
    texts_per_second,
    texts_per_day,
    calls_at_once,
    settings,
    ...rest
  }: CarrierRecord) => ({
    carrier_id: carrier,
    ...rest,
    // What a loan has in the place of its owner's settings is the owner's to know.
    settings: lent_from === null ? settings : {},
    shared: lent_from === null ? null : { texts_per_second, texts_per_day, calls_at_once },
    organization_id: organization_id && publicId("organization", organization_id),
    webhook_url: publicUrl === undefined || lent_from !== null ? null : `${publicUrl}/carrier/${carrier}/`,
    last_checked_at: timeView(last_checked_at),
    created_at: created_at.toISOString(),
  });

  route(edge, contract.createCarrier, async ({ ctx, caller, body }) => {
    const { name, kind, credentials, settings = {} } = body;
    const organizationId = organizationOf(body.organization_id) ?? null;
    const given = { name, kind: kind as CarrierKind, organizationId, credentials, settings };
    return { carrier: view(await createCarrier(ctx, caller, given)) };
  });

  route(edge, contract.listCarriers, async ({ ctx, caller, query }) =>
    pageAnswer("carriers", await listCarriers(ctx, caller, pageRequest(query)), view),
  );

  route(edge, contract.getCarrier, async ({ ctx, caller, params }) => ({
    carrier: view(await getCarrier(ctx, caller, idOf(params))),
  }));

  route(edge, contract.updateCarrier, async ({ ctx, caller, params, body }) => {
    const { name, settings } = body;
    const organizationId = organizationOf(body.organization_id);
    return { carrier: view(await updateCarrier(ctx, caller, idOf(params), { name, settings, organizationId })) };
  });

  route(edge, contract.deleteCarrier, async ({ ctx, caller, params }) => {
    const id = idOf(params);
    await deleteCarrier(ctx, caller, id);
    return { carrier_id: publicId("carrier", id) };
  });

  route(edge, contract.connectCarrier, async ({ ctx, caller, params, body, signal }) => {
    const { replace = false, dry_run: dryRun = false } = body;
    const connected = await connectCarrier(ctx, caller, idOf(params), { replace, dryRun }, signal);
    return {
      carrier: view(connected.account),
      numbers: connected.numbers.map(({ phone, capabilities }) => ({ phone_number: phone, capabilities })),
      changes: connected.changes,
      missing: connected.missing,
    };
  });

  route(edge, contract.checkCarrier, async ({ ctx, caller, params, body, signal }) => {
    const { account, checks } = await checkCarrier(ctx, caller, idOf(params), body.to_number, signal);
    return { carrier: view(account), checks: checks.map(({ account: _, ...check }) => check) };
  });

  route(edge, contract.rotateCarrier, async ({ ctx, caller, params, body, signal }) => ({
    carrier: view(await rotateCarrier(ctx, caller, idOf(params), body.credentials, signal)),
  }));
}

const idOf = ({ carrier_id }: { carrier_id: string }) => requireId("carrier", carrier_id, "Carrier");

/** Undefined where nothing is said of it. */
const organizationOf = (id: string | null | undefined) => id && requireId("organization", id, "Organization");
