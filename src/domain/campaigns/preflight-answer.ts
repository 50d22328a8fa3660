import { costOfTexts, type TextPrices } from "#domain/messaging/price.ts";
import { type NumberKind, tighter } from "#domain/numbers/rate-limits.ts";
import type { Budget } from "#domain/sending/budget.ts";
import type { Forecast } from "#domain/sending/forecast.ts";
import type { PreflightReport } from "./preflight.ts";
import { hoursAnswer, lateWarnings, timeText } from "./preflight-shared.ts";

export type PreflightSender = {
  number: string;
  kind: NumberKind | undefined;
  perSecond: number | null;
  registered: { tenDlcCampaignId: string; brandId: string } | null;
  budget: Budget | undefined;
  /** Of its first hour with a real carrier; null: it has none, or has it behind it. */
  firstHourTexts: number | null;
  /** Its carrier has its 10DLC registrations, and we do not know them: the carrier's own check says which are missing. */
  isRegisteredElsewhere: boolean;
};

export type PreflightParts = {
  report: PreflightReport;
  forecast: Forecast;
  sender: PreflightSender;
  prices: TextPrices;
  /** Its first text takes pictures along. */
  hasPictures: boolean;
  startsAt: Date;
  endAt: Date | null;
  /** The last drip's day after the starting message; 0 without drips. */
  lastDripDay: number;
};

const DAY_MS = 86_400_000;
const CURRENCY = "USD";

/** A preflight as the API returns it. */
export function preflightAnswer(parts: PreflightParts): Record<string, unknown> {
  const { report, sender, forecast } = parts;
  const { budget } = sender;
  const total = report.segments.starting + report.segments.drips;
  const finishAt = report.willBeTexted === 0 ? null : forecast.finishAt;
  const withDrips = finishAt && new Date(finishAt.getTime() + parts.lastDripDay * DAY_MS);
  return {
    recipients: {
      total: report.total,
      will_be_texted: report.willBeTexted,
      skipped: report.total - report.willBeTexted,
    },
    skips: report.skips,
    missing_variables: report.missingVariables,
    texts: { starting_messages: report.texts.starting, drips: report.texts.drips },
    segments: { starting_messages: report.segments.starting, drips: report.segments.drips, total },
    cost: {
      amount: costOfTexts(total, report.pictureTexts, parts.prices),
      currency: CURRENCY,
      price_per_segment: parts.prices.segment,
      price_per_picture_text: parts.hasPictures ? parts.prices.pictureText : null,
    },
    ...hoursAnswer(report),
    lines: report.lines,
    sender: {
      svc_sms_number: sender.number,
      rate_per_second: tighter(sender.perSecond, budget?.perSecond),
      ten_dlc_campaign_id: sender.registered?.tenDlcCampaignId ?? null,
      brand_id: sender.registered?.brandId ?? null,
      segments_left_today: budget ? budget.outreachLeft : null,
      segments_per_day: budget ? budget.outreachPerDay : null,
      first_hour_texts: sender.firstHourTexts,
    },
    forecast: {
      starts_at: parts.startsAt.toISOString(),
      starting_messages_finish_at: timeText(finishAt),
      finish_at: timeText(withDrips),
      limited_by: forecast.limitedBy === "daily_budget" ? (budget?.dayRule ?? null) : forecast.limitedBy,
    },
    warnings: warningsOf(parts, finishAt),
    samples: report.samples.map(({ phone, text, segments, opensAt }) => ({
      phone_number: phone,
      text,
      segments,
      opens_at: timeText(opensAt),
    })),
  };
}

function warningsOf({ report, sender, endAt }: PreflightParts, finishAt: Date | null): string[] {
  const warnings: string[] = [];
  if (report.willBeTexted === 0) warnings.push("nobody_to_text");
  if (sender.kind === "local" && sender.registered === null && !sender.isRegisteredElsewhere)
    warnings.push("unregistered_sender");
  if (report.lines.landlines > 0) warnings.push("landlines");
  return [...warnings, ...lateWarnings(report, finishAt, endAt)];
}
