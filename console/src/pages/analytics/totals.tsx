import { SimpleGrid } from "@mantine/core";
import type { Activity } from "#parts/chart/activity.ts";
import { callLength, duration, Money, percent, whole } from "#parts/show/figures.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";

/** The figures of the whole time. */
export function Totals({ figures }: { figures: Activity["totals"] | undefined }) {
  const { texts, calls } = figures ?? {};
  const { p50 = null } = calls?.response_ms ?? {};
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 4, lg: 8 }} spacing="sm">
      <StatTile
        label="Texts delivered"
        value={texts && percent(texts.delivered, texts.sent)}
        note={texts && `of ${whole(texts.sent)} sent`}
      />
      <StatTile
        label="Reply rate"
        value={texts && percent(texts.contacts_replied, texts.contacts_texted)}
        note={texts && `${whole(texts.contacts_replied)} contacts`}
      />
      <StatTile
        label="Opt-out rate"
        value={texts && percent(texts.contacts_opted_out, texts.contacts_texted)}
        note={texts && `${whole(texts.contacts_opted_out)} contacts`}
      />
      <StatTile
        label="Answer rate"
        value={calls && percent(calls.answered, calls.outbound)}
        note={calls && `of ${whole(calls.outbound)} calls`}
      />
      <StatTile
        label="Voicemail"
        value={calls && percent(calls.voicemail, calls.outbound)}
        note={calls && `${whole(calls.voicemail)} calls`}
      />
      <StatTile
        label="Average length"
        value={calls && callLength(calls.talk_ms.avg)}
        note={calls && `${whole(calls.successful)} calls met the goal`}
      />
      <StatTile
        label="Response time"
        value={calls && (p50 === null ? "–" : duration(p50))}
        note="half of them within"
      />
      <StatTile
        label="Cost"
        value={texts && calls && <Money amount={Number(texts.cost) + Number(calls.cost)} />}
        note="texts and calls"
      />
    </SimpleGrid>
  );
}
