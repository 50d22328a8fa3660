import { Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { ErrorState } from "#parts/page/error-state.tsx";
import { basisOf, sourceOf } from "#parts/show/consent-words.ts";
import { Fields } from "#parts/show/fields.tsx";
import { Time } from "#parts/show/time.tsx";
import styles from "./contacts.module.css";

type Consent = Answer<"GET /v1/consents/:phone_number">["consent"];

const EVENTS: Record<Consent["history"][number]["event"], string> = {
  granted: "Consent given",
  revoked: "Opted out",
  resubscribed: "Subscribed again",
};
const CHANNELS: Readonly<Record<string, string>> = { sms: "texts", voice: "calls", any: "texts and calls" };

/** What a number's consent rests on, and how it came to that. */
export function ConsentTab({ phone }: { phone: string }) {
  const { data, error, refetch } = useAnswer("GET /v1/consents/:phone_number", { params: { phone_number: phone } });
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton h={160} />;
  const { consent } = data;
  return (
    <Stack gap="lg">
      <Fields
        items={[
          [
            "Opted out",
            consent.opted_out ? (
              <>
                <Time at={consent.opted_out_at} exact />. {sourceOf(consent.opt_out_source)}
                {consent.opt_out_quote && `: “${consent.opt_out_quote}”`}
              </>
            ) : (
              "No"
            ),
          ],
          consent.in_doubt && ["In doubt", "It is being judged whether the contact has asked to be left alone"],
          ["Consent to texts", standing(consent.sms)],
          ["Consent to calls", standing(consent.voice)],
        ]}
      />
      <div>
        <Title order={3} mb="sm">
          History
        </Title>
        {consent.history.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing was ever recorded for this number.
          </Text>
        ) : (
          <ol className={styles.timeline} aria-label="History of consent">
            {consent.history.map((record) => (
              <li key={`${record.recorded_at} ${record.event} ${record.channel} ${record.at}`} className={styles.entry}>
                <Text size="sm" fw={550}>
                  {EVENTS[record.event]}, {CHANNELS[record.channel] ?? record.channel}
                </Text>
                <Text size="sm">
                  {record.basis && `${basisOf(record.basis)}. `}
                  {sourceOf(record.source)}
                  {record.quote && `: “${record.quote}”`}
                </Text>
                {record.proof && (
                  <Text size="xs" className={styles.text}>
                    Proof: {record.proof}
                  </Text>
                )}
                <Text size="xs" c="dimmed">
                  <Time at={record.at} exact />
                </Text>
              </li>
            ))}
          </ol>
        )}
      </div>
    </Stack>
  );
}

function standing(consent: Consent["sms"]) {
  if (consent === null) return "None on record";
  return (
    <>
      {basisOf(consent.basis)}, <Time at={consent.obtained_at} />
      {consent.expires_at && (
        <>
          , runs out <Time at={consent.expires_at} />
        </>
      )}
    </>
  );
}
