import { Badge, Paper, Skeleton, Stack, Text } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf } from "#parts/show/words.ts";

type Verdict = Answer<"GET /v1/contactability">;

/** Whether the number may be texted and called now, until when, else when next and by which rule: the gate's own answer. */
export function MayWe({ phone }: { phone: string }) {
  return (
    <Paper component="section" aria-label="May we contact now" p="md">
      <Stack gap="sm">
        <Channel phone={phone} channel="sms" label="Text" />
        <Channel phone={phone} channel="voice" label="Call" />
      </Stack>
    </Paper>
  );
}

function Channel({ phone, channel, label }: { phone: string; channel: "sms" | "voice"; label: string }) {
  const { data, error, refetch } = useAnswer("GET /v1/contactability", { query: { phone_number: phone, channel } });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton h={20} />;
  const tone = data.allowed ? "good" : data.decision === "held" ? "wait" : "bad";
  const [zone] = data.place.zones;
  return (
    <div>
      <Badge className="parley-tone" data-tone={tone} mr="sm">
        {label}: {data.allowed ? "can contact now" : data.decision === "held" ? "not now" : "never"}
      </Badge>
      <Text span size="sm">
        <Why data={data} zone={zone} />
      </Text>
    </div>
  );
}

function Why({ data, zone }: { data: Verdict; zone: string | undefined }) {
  const why = data.reason ? reasonOf(data.reason) : "";
  if (data.allowed) {
    return data.until ? <>{untilOf(data.until, zone)}.</> : <>No end is foreseen.</>;
  }
  return (
    <>
      {why || (data.rule ? lawOf(data.rule) : "By the rules")}
      {data.next_at && (
        <>
          . Again <Time at={data.next_at} zone={zone} />
        </>
      )}
      {data.rule?.jurisdiction && (
        <Text size="xs" c="dimmed">
          Rule: {lawOf(data.rule)}, {data.rule.source}
        </Text>
      )}
    </>
  );
}

/** By the contact's own clock, which is what the hours are counted by. */
function untilOf(until: string, zone: string | undefined): string {
  const time = new Date(until).toLocaleString("en", {
    weekday: "short",
    hour: "numeric",
    minute: "2-digit",
    ...(zone ? { timeZone: zone } : {}),
  });
  return `Until ${time}${zone ? ", their time" : ""}`;
}

/** Whose rule it is. */
function lawOf({ jurisdiction, id }: NonNullable<Verdict["rule"]>): string {
  if (jurisdiction === "US") return "Federal law";
  if (jurisdiction === "strict") return "The strict profile";
  if (jurisdiction === "CA") return "Canadian law";
  return jurisdiction ? `Law of ${jurisdiction.replace(/^(US|CA)-/, "")}` : reasonOf(id);
}
