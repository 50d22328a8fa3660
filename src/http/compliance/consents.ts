import * as contract from "#contract/compliance/consents.ts";
import type { Consent } from "#domain/compliance/consent.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { exportOptOuts } from "#operations/compliance/export-opt-outs.ts";
import { type FoundConsent, getConsent } from "#operations/compliance/read-consent.ts";
import { listOptOuts, OPT_OUTS_KEY } from "#operations/compliance/read-opt-outs.ts";
import { recordConsent } from "#operations/compliance/record-consent.ts";

export function consentRoutes(edge: Edge): void {
  route(edge, contract.getConsent, async ({ ctx, caller, params }) => ({
    consent: consentView(await getConsent(ctx, caller, params.phone_number)),
  }));

  route(edge, contract.putConsent, async ({ ctx, caller, params, body }) => {
    await recordConsent(ctx, caller, params.phone_number, body);
    return { consent: consentView(await getConsent(ctx, caller, params.phone_number)) };
  });

  route(edge, contract.listOptOuts, async ({ ctx, caller, query }) => {
    const wanted = { ...textPageRequest(query, OPT_OUTS_KEY), phoneNumber: query.phone_number, source: query.source };
    return pageAnswer("opt_outs", await listOptOuts(ctx, caller, wanted), (optOut) => ({
      phone_number: optOut.phone,
      opted_out_at: optOut.opted_out_at.toISOString(),
      source: optOut.source,
      quote: optOut.quote,
    }));
  });

  route(edge, contract.exportOptOuts, async ({ ctx, caller }) => ({
    ...exportOptOuts(ctx, caller),
    fileName: "optouts.csv",
  }));
}

function consentView({ phone, state, sms, voice, history }: FoundConsent) {
  return {
    phone_number: phone,
    opted_out: (state?.opted_out_at ?? null) !== null,
    opted_out_at: state?.opted_out_at?.toISOString() ?? null,
    opt_out_source: state?.opt_out_source ?? null,
    opt_out_quote: state?.opt_out_quote ?? null,
    in_doubt: (state?.doubted_at ?? null) !== null,
    sms: standingView(sms),
    voice: standingView(voice),
    history: history.map(({ id: _id, phone: _phone, at, recorded_at, ...rest }) => ({
      ...rest,
      at: at.toISOString(),
      recorded_at: recorded_at.toISOString(),
    })),
  };
}

const standingView = (consent: Consent | undefined) =>
  consent
    ? { basis: consent.basis, obtained_at: consent.at.toISOString(), expires_at: consent.until?.toISOString() ?? null }
    : null;
