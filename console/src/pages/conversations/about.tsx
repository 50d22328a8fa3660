import { ActionIcon, Alert, Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { useAnswer } from "#api/query.ts";
import { contactName } from "#parts/form/contact-fields.ts";
import { IconArrowLeft } from "#parts/icons/tabler.ts";
import { Fields } from "#parts/show/fields.tsx";
import { PhoneNumber } from "#parts/show/phone-number.tsx";
import { reasonOf, spelled, valueWords } from "#parts/show/words.ts";
import styles from "./conversations.module.css";
import { Findings } from "./findings.tsx";
import { exact } from "./times.ts";

/** Fields of a contact that are shown elsewhere, or not at all. */
const NOT_SHOWN = new Set([
  "unique_id",
  "organization_id",
  "phone_number",
  "created_at",
  "updated_at",
  "first_name",
  "last_name",
]);

const SOURCES: Readonly<Record<string, string>> = {
  keyword: "by a keyword such as STOP",
  free_text: "in words of its own",
  agent: "understood by the agent",
  carrier: "reported by the carrier",
  operator: "entered by a person here",
  journal: "from the journal of opt-outs",
  other_mode: "in the other mode (live or test)",
};

/** Whom the conversation is with, whether they may be texted, and what was found out. */
export function About({
  threadId,
  back,
  show,
}: {
  threadId: string;
  back: () => void;
  /** Brings a message of the conversation into sight. */
  show: (messageId: string) => void;
}) {
  const params = { thread_id: threadId };
  const conversation = useAnswer("GET /v1/sms/threads/:thread_id", { params });
  const thread = conversation.data?.thread;
  const phone_number = thread?.phone_number ?? "";
  const lead = useAnswer("GET /v1/contacts/leads/:lead_id", thread && { params: { lead_id: thread.lead_id } });
  const consents = useAnswer("GET /v1/consents/:phone_number", thread && { params: { phone_number } });
  const contactability = useAnswer(
    "GET /v1/contactability",
    thread && { query: { phone_number, campaign_id: thread.campaign_id } },
  );
  /** What `Findings` shows: asked for along with the rest. */
  const findings = useAnswer("GET /v1/sms/extractions/:thread_id", { params });
  // Drawn when all have answered: each by itself would push down what stands below it.
  const isComing = !conversation.error && [lead, consents, contactability, findings].some(({ isPending }) => isPending);
  const contact = lead.data?.lead;
  const consent = consents.data?.consent;
  const may = contactability.data;
  const zone = may?.place.zones[0];
  const others = Object.entries(contact ?? {}).filter(([name, value]) => !NOT_SHOWN.has(name) && value !== null);
  return (
    <aside className={styles.about} aria-label="Contact and findings">
      <ActionIcon
        variant="subtle"
        color="gray"
        className={styles.return}
        aria-label="Back to the conversation"
        onClick={back}
      >
        <IconArrowLeft size={18} />
      </ActionIcon>
      {isComing ? (
        <Skeleton h={320} />
      ) : (
        <Stack gap="lg">
          <section aria-label="Contact">
            <Title order={2} mb={4}>
              Contact
            </Title>
            <Fields
              items={[
                ["Name", contact && (contactName(contact) ?? "–")],
                ["Number", <PhoneNumber key="number" number={thread?.phone_number} />],
                may && ["Where", [may.place.states.join(", "), zone?.replace("_", " ")].filter(Boolean).join(", ")],
                ...others.slice(0, 12).map(([name, value]) => [spelled(name), valueWords(value)] as const),
              ]}
            />
            {thread && (
              <Anchor component={Link} to={`/contacts?contact=${encodeURIComponent(thread.lead_id)}`} size="sm">
                The contact and all its history
              </Anchor>
            )}
          </section>
          {consent?.opted_out && (
            <Alert color="red" title="Opted out" py="sm">
              <Text size="sm">
                {consent.opted_out_at && (
                  <span title={exact(consent.opted_out_at, zone)}>
                    {new Date(consent.opted_out_at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })}
                  </span>
                )}
                {consent.opt_out_source && `, ${SOURCES[consent.opt_out_source] ?? spelled(consent.opt_out_source)}`}.
              </Text>
              {consent.opt_out_quote && (
                <Text size="sm" mt={4}>
                  “{consent.opt_out_quote}”
                </Text>
              )}
            </Alert>
          )}
          {may && (
            <section aria-label="May we text">
              <Title order={3} mb={4}>
                May we text first?
              </Title>
              <Text size="sm">
                {may.decision === "allowed" ? "Yes" : may.decision === "held" ? "Not now" : "No"}
                {may.decision !== "allowed" &&
                  may.reason &&
                  `: ${reasonOf(may.reason).toLowerCase().replace(/\.$/, "")}`}
                .
              </Text>
              <Text size="xs" c="dimmed">
                {may.next_at && may.decision === "held" && (
                  <span title={exact(may.next_at, zone)}>
                    From {new Date(may.next_at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })} on.{" "}
                  </span>
                )}
                {(may.decision === "allowed" || may.decision === "held") &&
                  "Answers to what the contact writes may leave at other hours."}
              </Text>
            </section>
          )}
          <Findings threadId={threadId} thread={thread} show={show} />
        </Stack>
      )}
    </aside>
  );
}
