import * as contract from "#contract/numbers/phone-numbers.ts";
import { areaCodeOf, PHONE_NUMBER_TYPE } from "#domain/numbers/phone-number.ts";
import { prettyPhone } from "#domain/phones/phone.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { createPhoneNumber, type NumberOwner, purchasePhoneNumber } from "#operations/numbers/buy-phone-number.ts";
import { linkPhoneNumber, releasePhoneNumber } from "#operations/numbers/change-phone-number.ts";
import { type HealthyNumber, withHealth } from "#operations/numbers/phone-number-health.ts";
import {
  listPhoneNumbers,
  type NumberHealth,
  phoneNumberHealth,
  searchPhoneNumbers,
} from "#operations/numbers/read-phone-numbers.ts";
import { restPhoneNumber } from "#operations/numbers/rest-phone-number.ts";

/** A month says how a number fares now, and is enough calls to say so. */
const DEFAULT_DAYS = 30;

export function phoneNumberRoutes(edge: Edge): void {
  route(edge, contract.createPhoneNumber, async ({ ctx, caller, body, signal }) => {
    const wanted = { ...ownerOf(body), ...accountOf(body), areaCode: body.area_code };
    return shortView((await createPhoneNumber(ctx, caller, wanted, signal)).phone);
  });

  route(edge, contract.listPhoneNumbers, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const page = await listPhoneNumbers(ctx, caller, organizationId, pageRequest(query));
    return pageAnswer("phone_numbers", { ...page, items: await withHealth(ctx, caller, page.items) }, numberView);
  });

  route(edge, contract.getPhoneNumberHealth, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const { since, numbers } = await phoneNumberHealth(ctx, caller, organizationId, query.days ?? DEFAULT_DAYS);
    return { since: since.toISOString(), numbers: numbers.map(healthView), count: numbers.length };
  });

  route(edge, contract.searchPhoneNumbers, async ({ ctx, caller, query, signal }) => {
    const wanted = {
      areaCode: query.area_code,
      contains: query.contains,
      limit: query.limit ?? 100,
      ...accountOf(query),
    };
    const found = await searchPhoneNumbers(ctx, caller, wanted, signal);
    return { phone_numbers: found.map(shortView), count: found.length };
  });

  route(edge, contract.purchasePhoneNumber, async ({ ctx, caller, body, signal }) => {
    const wanted = { ...ownerOf(body), ...accountOf(body), phone: body.phone_number };
    return shortView((await purchasePhoneNumber(ctx, caller, wanted, signal)).phone);
  });

  route(edge, contract.releasePhoneNumber, async ({ ctx, caller, params, signal }) => ({
    phone_number: await releasePhoneNumber(ctx, caller, params.phone_number, signal),
  }));

  route(edge, contract.updatePhoneNumber, async ({ ctx, caller, params, body }) => {
    const rested = await restPhoneNumber(ctx, caller, params.phone_number, body.resting_until);
    return { number: numberView((await withHealth(ctx, caller, [rested]))[0]!) };
  });

  route(edge, contract.linkPhoneNumber, async ({ ctx, caller, params, body }) => {
    const linked = await linkPhoneNumber(ctx, caller, params.phone_number, body.agent_id);
    return { number: numberView((await withHealth(ctx, caller, [linked]))[0]!) };
  });
}

const healthView = ({ number, last_call_at, ...sums }: NumberHealth) => ({
  phone_number: number,
  ...sums,
  answer_rate: sums.placed === 0 ? null : sums.connected / sums.placed,
  last_call_at: last_call_at.toISOString(),
});

type Owner = { organization_id?: string | undefined; user_id?: string | undefined };

const ownerOf = (owner: Owner): NumberOwner => ({
  organizationId: owner.organization_id && requireId("organization", owner.organization_id, "Organization"),
  userId: owner.user_id && requireId("user", owner.user_id, "User"),
});

const accountOf = (asked: { carrier_id?: string | undefined; organization_id?: string | undefined }) => ({
  carrierId: asked.carrier_id && requireId("carrier", asked.carrier_id, "Carrier"),
  organizationId: asked.organization_id && requireId("organization", asked.organization_id, "Organization"),
});

const shortView = (phone: string) => ({
  phone_number: phone,
  phone_number_pretty: prettyPhone(phone),
  area_code: areaCodeOf(phone),
  phone_number_type: PHONE_NUMBER_TYPE,
});

const standingView = ({ health, rest }: HealthyNumber) => ({
  placed: health?.placed ?? null,
  answered: health?.answered ?? null,
  answer_rate: health?.rate ?? null,
  usual_answer_rate: health?.usual ?? null,
  complaints: health?.complaints ?? null,
  unwanted: health?.unwanted ?? null,
  resting_until: rest?.until.toISOString() ?? null,
  reason: rest?.reason ?? null,
});

const numberView = (phoneNumber: HealthyNumber) => ({
  ...shortView(phoneNumber.phone),
  organization_id: phoneNumber.organization_id && publicId("organization", phoneNumber.organization_id),
  user_id: phoneNumber.user_id && publicId("user", phoneNumber.user_id),
  agent_id: phoneNumber.agent_id && publicId("agent", phoneNumber.agent_id),
  capabilities: { sms: phoneNumber.sms, mms: phoneNumber.mms, voice: phoneNumber.voice },
  carrier_id: phoneNumber.account_name === null ? null : phoneNumber.carrier,
  carrier_name: phoneNumber.account_name,
  health: standingView(phoneNumber),
  created_at: phoneNumber.created_at.toISOString(),
});
