import * as contract from "#contract/simulator/simulator.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { timeView } from "#http/server/views.ts";
import {
  actInHandsetCall,
  type Clock,
  callFromHandset,
  listHandsets,
  moveClock,
  readClock,
  readHandset,
  readTraffic,
  scriptHandset,
  textFromHandset,
} from "#operations/simulator/simulate.ts";

export function simulatorRoutes(edge: Edge): void {
  route(edge, contract.textFromHandset, async ({ ctx, caller, params, body }) => {
    const { carrierId } = await textFromHandset(ctx, caller, {
      handset: params.phone_number,
      to: body.to_number,
      text: body.text,
    });
    return { carrier_id: carrierId };
  });

  route(edge, contract.getHandset, async ({ ctx, caller, params }) => {
    const { behavior, messages, calls } = await readHandset(ctx, caller, params.phone_number);
    return { behavior, messages: messages.map(timed), calls: calls.map(timed) };
  });

  route(edge, contract.listHandsets, async ({ ctx, caller, query }) => {
    const page = await listHandsets(ctx, caller, { limit: query.limit, after: query.pagination_key });
    return pageAnswer("handsets", page, ({ phone, behavior, last_text_at, last_call_at }) => ({
      phone_number: phone,
      behavior,
      last_text_at: timeView(last_text_at),
      last_call_at: timeView(last_call_at),
    }));
  });

  route(edge, contract.callFromHandset, async ({ ctx, caller, params, body }) => {
    const { carrierId } = await callFromHandset(ctx, caller, {
      handset: params.phone_number,
      to: body.to_number,
      says: body.says ?? [],
    });
    return { carrier_id: carrierId };
  });

  route(edge, contract.actInHandsetCall, async ({ ctx, caller, params, body }) => {
    await actInHandsetCall(ctx, caller, { phone: params.phone_number, carrierId: params.call }, body);
    return { carrier_id: params.call };
  });

  route(edge, contract.scriptHandset, async ({ ctx, caller, params, body }) => ({
    phone_number: await scriptHandset(ctx, caller, params.phone_number, body),
  }));

  route(edge, contract.getTraffic, ({ ctx, caller, query }) => readTraffic(ctx, caller, query.campaign_id));

  route(edge, contract.moveClock, async ({ ctx, caller, body }) => clockView(await moveClock(ctx, caller, body)));

  route(edge, contract.readClock, async ({ ctx, caller }) => clockView(await readClock(ctx, caller)));
}

const timed = <T extends { at: Date }>(record: T) => ({ ...record, at: record.at.toISOString() });

const clockView = ({ now, offsetMs }: Clock) => ({ now: now.toISOString(), offset_ms: offsetMs });
