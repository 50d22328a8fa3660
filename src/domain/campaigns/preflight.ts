import type { CallingPolicy, CallingWindows } from "#domain/compliance/calling-window.ts";
import type { Decision } from "#domain/compliance/gate.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import { PICTURE_FIELD, picturesFor } from "#domain/messaging/media.ts";
import { compileTemplate } from "#domain/messaging/template.ts";
import { type LineType, takesTexts } from "#domain/phones/line-type.ts";
import type { Place } from "#domain/phones/place.ts";
import {
  type Forecast,
  type ForecastGroup,
  forecastAmong,
  NO_OTHERS,
  type Others,
  type Pace,
} from "#domain/sending/forecast.ts";
import type { Templates, TextDecision } from "#domain/sending/text-decision.ts";
import { decideText } from "#domain/sending/text-decision.ts";

/** A recipient as the gate sees it at the campaign's start. */
export type PreflightLead = {
  phone: string;
  fields: LeadFields;
  place: Place;
  policy: CallingPolicy;
  decision: Decision;
  /** An AI voice is to call, without a consent on record that lets it. */
  lacksVoiceConsent?: boolean;
  /** What its line was looked up as, where it was. */
  lineType?: LineType | undefined;
};

export type Sample = { phone: string; text: string; segments: number; opensAt: Date | null };
export type ZoneCount = { zones: readonly string[]; recipients: number; openNow: number; opensAt: Date | null };
export type HoldCount = { rule: string; opensAt: Date | null; recipients: number };

export type PreflightReport = {
  total: number;
  willBeTexted: number;
  skips: Record<string, number>;
  missingVariables: Record<string, number>;
  texts: { starting: number; drips: number };
  segments: { starting: number; drips: number };
  /** Of the starting ones: that take pictures along. */
  pictureTexts: number;
  openNow: number;
  /** Of those who are called. */
  withoutVoiceConsent: number;
  /** Of those who are texted: whose line is known, and who has one that takes no texts. */
  lines: { known: number; landlines: number };
  /** Who waits, by rule and time, the earliest first; without a time last. */
  holds: HoldCount[];
  zones: ZoneCount[];
  samples: Sample[];
};

export type Preflight = {
  /** Counts out some who never get as far as the gate, by reason. */
  skip(reason: string, count: number): void;
  add(lead: PreflightLead): void;
  report(): PreflightReport;
  /** When the last starting message leaves at this pace, beside what other campaigns still have to send, and not before `from`. */
  forecast(pace: Pace, callingWindows: CallingWindows, among?: { others?: Others; from?: Date }): Forecast;
};

type Terms = {
  templates: Templates;
  /** The fields that they need: one with a fallback is not missing. */
  variables: readonly string[];
  endAt: Date | null;
  /** When sending begins, in the tenant's time. */
  startsAt: Date;
  /** The first text takes these along: it is one message then, however long it is. */
  pictures?: readonly string[];
};

const SAMPLES = 20;
/** A table longer than this is no overview; the rest is in the last row, which says so by its zones. */
const MOST_ZONES = 100;
/** The commonest hours that a forecast looks at; the few others go with the last. */
const MOST_GROUPS = 60;
const ALLOWED: Decision = Object.freeze({ outcome: "allowed", until: null });

type Group = { place: Place; policy: CallingPolicy; recipients: number; notBefore: number };

/**
 * Works out what a campaign would do, one recipient after the other, and keeps sums only: made for 100,000.
 */
export function preflight({ templates, variables, endAt, startsAt, pictures = [] }: Terms): Preflight {
  const skips = new Map<string, number>();
  const missing = new Map<string, number>();
  const zones = new Map<
    string,
    { zones: readonly string[]; recipients: number; openNow: number; opensAt: Date | null }
  >();
  const holds = new Map<string, HoldCount>();
  const groups = new Map<string, Group>();
  const isThere = variables.map((name) => ({ name, render: compileTemplate(`{{${name}}}`) }));
  const texts = { starting: 0, drips: 0 };
  const segments = { starting: 0, drips: 0 };
  const samples = sampler<Sample>(SAMPLES);
  let total = 0;
  let openNow = 0;
  let pictureTexts = 0;
  let withoutVoiceConsent = 0;
  const lines = { known: 0, landlines: 0 };

  const word = (lead: PreflightLead, kind: "start" | "drip", step: number): TextDecision =>
    decideText(
      {
        kind,
        step,
        text: null,
        phone: lead.phone,
        createdAt: startsAt,
        fields: lead.fields,
        firstSentAt: LONG_AGO,
        recipientState: "sent",
      },
      ALLOWED,
      templates,
      endAt,
      startsAt,
    );

  const noteMissing = (lead: PreflightLead) => {
    const fields = { ...lead.fields, phone_number: lead.phone };
    for (const { name, render } of isThere) if (render(fields).problem !== undefined) count(missing, name);
  };

  const noteHours = ({ place, decision }: PreflightLead) => {
    const opensAt = decision.outcome === "held" ? (decision.until ?? null) : null;
    const isOpen = decision.outcome === "allowed";
    const key = place.zones.join("|");
    const zone = zones.get(key) ?? { zones: place.zones, recipients: 0, openNow: 0, opensAt: null };
    zone.recipients++;
    if (isOpen) zone.openNow++;
    else if (opensAt !== null && (zone.opensAt === null || opensAt < zone.opensAt)) zone.opensAt = opensAt;
    zones.set(key, zone);
    if (isOpen) openNow++;
    else if (decision.outcome === "held") {
      const of = `${decision.rule} ${opensAt?.getTime()}`;
      const hold = holds.get(of) ?? { rule: decision.rule, opensAt, recipients: 0 };
      hold.recipients++;
      holds.set(of, hold);
    }
  };

  const noteGroup = ({ place, policy, decision }: PreflightLead) => {
    // Who waits without an end is waited for by nobody.
    if (decision.outcome === "held" && decision.until === null && decision.askAgainAt === undefined) return;
    const until = decision.outcome === "held" ? (decision.until ?? decision.askAgainAt ?? startsAt) : startsAt;
    const notBefore = until.getTime();
    const key = `${place.zones} ${place.states} ${policy.expressConsent} ${notBefore}`;
    const group = groups.get(key) ?? { place, policy, recipients: 0, notBefore };
    group.recipients++;
    groups.set(key, group);
  };

  return {
    skip(reason, n) {
      total += n;
      if (n > 0) count(skips, reason, n);
    },
    add(lead) {
      total++;
      const { decision } = lead;
      if (decision.outcome === "blocked") return count(skips, decision.rule);
      const worded = word(lead, "start", 0);
      const hasPictures = picturesFor(pictures, lead.fields[PICTURE_FIELD]) !== null;
      const starting = worded.go && hasPictures ? { ...worded, segments: 1 } : worded;
      if (!starting.go) {
        if (starting.rule === "missing_variable") noteMissing(lead);
        return count(skips, starting.rule);
      }
      texts.starting++;
      if (hasPictures) pictureTexts++;
      segments.starting += starting.segments;
      let isShort = false;
      for (const i of templates.drips.keys()) {
        const drip = word(lead, "drip", i + 1);
        if (drip.go) {
          texts.drips++;
          segments.drips += drip.segments;
        } else isShort ||= drip.rule === "missing_variable";
      }
      if (isShort) noteMissing(lead);
      noteHours(lead);
      noteGroup(lead);
      if (lead.lacksVoiceConsent) withoutVoiceConsent++;
      if (lead.lineType) lines.known++;
      if (lead.lineType && !takesTexts(lead.lineType)) lines.landlines++;
      const opensAt = decision.outcome === "held" ? decision.until : null;
      samples.add(() => ({ phone: lead.phone, text: starting.text, segments: starting.segments, opensAt }));
    },
    report: () => ({
      total,
      willBeTexted: texts.starting,
      skips: descending(skips),
      missingVariables: descending(missing),
      texts,
      segments,
      openNow,
      pictureTexts,
      withoutVoiceConsent,
      lines,
      holds: [...holds.values()].sort((a, b) => timeOf(a.opensAt) - timeOf(b.opensAt) || b.recipients - a.recipients),
      zones: [...zones.values()].sort((a, b) => b.recipients - a.recipients).slice(0, MOST_ZONES),
      samples: samples.take(),
    }),
    forecast(pace, callingWindows, { others = NO_OTHERS, from = startsAt } = {}) {
      const each = texts.starting === 0 ? 1 : segments.starting / texts.starting;
      return forecastAmong(others, groupsOf([...groups.values()], callingWindows), each, pace, from);
    },
  };
}

/** A drip's day has come in every preflight. */
const LONG_AGO = new Date(0);

const timeOf = (at: Date | null): number => at?.getTime() ?? Number.POSITIVE_INFINITY;

function count(counts: Map<string, number>, name: string, n = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + n);
}

const descending = (counts: Map<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));

function groupsOf(all: Group[], callingWindows: CallingWindows): ForecastGroup[] {
  const sorted = all.sort((a, b) => b.recipients - a.recipients);
  const kept = sorted.slice(0, MOST_GROUPS);
  const rest = sorted.slice(MOST_GROUPS).reduce((sum, group) => sum + group.recipients, 0);
  const last = kept.at(-1);
  if (last) last.recipients += rest;
  return kept.map(({ place, policy, recipients, notBefore }) => ({
    recipients,
    hoursAt(at) {
      if (at.getTime() < notBefore) return { open: false, opensAt: new Date(notBefore), rule: "held" };
      return callingWindows(at, place, policy);
    },
  }));
}

/** Keeps `most` of any number of things, evenly spread and the same each time. */
function sampler<T>(most: number): { add(make: () => T): void; take(): T[] } {
  let kept: T[] = [];
  let stride = 1;
  let seen = 0;
  return {
    add(make) {
      if (seen++ % stride !== 0) return;
      kept.push(make());
      if (kept.length <= 2 * most) return;
      kept = kept.filter((_, i) => i % 2 === 0);
      stride *= 2;
    },
    take: () =>
      kept.length <= most ? kept : Array.from({ length: most }, (_, i) => kept[Math.floor((i * kept.length) / most)]!),
  };
}
