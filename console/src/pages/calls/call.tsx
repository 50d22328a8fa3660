import { Alert, Anchor, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { Link, useParams } from "react-router";
import { pathOf } from "#api/client.ts";
import type { Answer } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { CopyAsCurl } from "#parts/form/copy-as-curl.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { CallBadge } from "#parts/show/call-badge.tsx";
import { Fields } from "#parts/show/fields.tsx";
import { callLength, Money } from "#parts/show/figures.tsx";
import { formatPhone, PhoneNumber } from "#parts/show/phone-number.tsx";
import { StatTile } from "#parts/show/stat-tile.tsx";
import { StatusBadge } from "#parts/show/status-badge.tsx";
import { Time } from "#parts/show/time.tsx";
import { reasonOf, spelled, wordOf } from "#parts/show/words.ts";
import { Findings } from "./findings.tsx";
import { Latency } from "./latency.tsx";
import { Inject, StopCall } from "./live-actions.tsx";
import { nameOf, otherSide, ourSide } from "./other-side.ts";
import { usePlayer } from "./player.ts";
import { Recording } from "./recording.tsx";
import { Timeline } from "./timeline.tsx";
import { Transcript } from "./transcript.tsx";

export type Call = Answer<"GET /v1/voice/calls/:call_id">["call"];

const BACK = { to: "/calls", label: "Calls" };

/** One call: while it goes on, and what it came to. */
export function Component() {
  const { call_id = "" } = useParams();
  const answer = useAnswer("GET /v1/voice/calls/:call_id", { params: { call_id } });
  const call = answer.data?.call;
  if (call === undefined) {
    return (
      <>
        <PageHeader title="Call" back={BACK} />
        {answer.error ? (
          <ErrorState error={answer.error} retry={() => void answer.refetch()} />
        ) : (
          <Stack>
            <Skeleton h={72} />
            <Skeleton h={180} />
            <Skeleton h={320} />
          </Stack>
        )}
      </>
    );
  }
  return <Shown key={call.call_id} call={call} />;
}

/** As high as the recording, which comes a moment after the rest: nothing is moved by it. */
const RECORDING_HEIGHT = 162;

function Shown({ call }: { call: Call }) {
  const params = { call_id: call.call_id };
  const isLive = call.call_status === "registered" || call.call_status === "ongoing";
  const lengthS = (call.recording_ms ?? call.call_duration_ms) / 1_000;
  const address =
    call.recording_url === null ? undefined : pathOf("GET /v1/voice/calls/:call_id/recording", { params });
  const player = usePlayer(address, lengthS);
  return (
    <>
      <PageHeader
        title={`${call.direction === "inbound" ? "Call from" : "Call to"} ${nameOf(call)}`}
        back={BACK}
        badge={<CallBadge call={call} />}
        about={
          <>
            {call.direction === "inbound" ? "Came in" : "Placed"} <Time at={call.dialed_at ?? call.start_timestamp} />
            {call.contact_name !== null && (
              <>
                {call.direction === "inbound" ? " from " : " to "}
                <PhoneNumber number={otherSide(call)} />
              </>
            )}
            {call.direction === "inbound" ? " on " : " from "}
            <PhoneNumber number={ourSide(call)} />
          </>
        }
        actions={
          <>
            {isLive && <StopCall call={call} />}
            <CopyAsCurl operation="GET /v1/voice/calls/:call_id" args={{ params }} />
          </>
        }
      />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md">
          <StatTile
            label={isLive ? "Now" : "How it ended"}
            value={<Text fw={600}>{endOf(call, isLive)}</Text>}
            note={answererOf(call)}
          />
          <StatTile label="Length" value={callLength(call.call_duration_ms)} />
          <StatTile label="Sentiment" value={sentimentOf(call)} />
          <StatTile label="Objective" value={objectiveOf(call, isLive)} />
          <StatTile label="Cost" value={<Money amount={call.cost?.total} />} />
        </SimpleGrid>
        {call.call_status === "ongoing" && <Inject call={call} />}
        {call.recording_problem !== null && (
          <Alert color="red" role="alert" title="Something is wrong with the recording">
            {call.recording_problem === "missing"
              ? "The call was recorded, but its recording has not been found."
              : "The recording is longer or shorter than the call was: a part of it may be missing."}
          </Alert>
        )}
        {player ? (
          <Recording callId={call.call_id} player={player} />
        ) : (
          address !== undefined && <Skeleton h={RECORDING_HEIGHT} />
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: "start" }}>
          <Stack gap="md" miw={0}>
            {call.transcript_object.length > 0 ? (
              <>
                <Transcript utterances={call.transcript_object} player={player} />
                {player === undefined && (
                  <Text size="sm" c="dimmed">
                    {withoutSound(call)}
                  </Text>
                )}
              </>
            ) : (
              <Paper p="md" component="section" aria-label="Transcript">
                <Title order={2}>Transcript</Title>
                <Text size="sm" c="dimmed" mt="xs">
                  {withoutWords(call, isLive)}
                </Text>
              </Paper>
            )}
          </Stack>
          <Stack gap="md" miw={0}>
            <Findings call={call} isLive={isLive} player={player} />
            <Latency call={call} player={player} />
            <Timeline call={call} />
            <Details call={call} />
          </Stack>
        </SimpleGrid>
      </Stack>
    </>
  );
}

function endOf(call: Call, isLive: boolean): string {
  if (call.disconnection_reason) return reasonOf(call.disconnection_reason);
  if (call.waiting_because) return reasonOf(call.waiting_because);
  if (isLive) return call.call_status === "ongoing" ? "On the phone" : "Ringing";
  return wordOf("call", call.call_status).label;
}

const ANSWERERS: Readonly<Record<string, string>> = {
  human: "A person answered",
  voicemail: "A mailbox answered",
  full_mailbox: "A mailbox answered, and was full",
  ivr: "A phone menu answered",
  call_screening: "A service that screens calls answered",
  unknown: "It is not known who answered",
};

function answererOf({ answered_by, voicemail_left, disconnection_reason }: Call): string | undefined {
  // How it ended says so already.
  if (answered_by === null || disconnection_reason === "ivr_reached") return undefined;
  return `${ANSWERERS[answered_by] ?? spelled(answered_by)}${voicemail_left ? "; a message was left" : ""}`;
}

function sentimentOf({ user_sentiment }: Call) {
  return user_sentiment === "Unknown" ? "–" : <StatusBadge of="sentiment" state={user_sentiment} size="lg" />;
}

function objectiveOf(call: Call, isLive: boolean): string {
  if (isLive || call.call_duration_ms === 0) return "–";
  return call.call_successful ? "Met" : "Not met";
}

function withoutSound({ recording_problem }: Call): string {
  return recording_problem === null
    ? "There is no recording: the call was held in words only, or its sound is still being stored."
    : "There is no recording to listen to.";
}

function withoutWords(call: Call, isLive: boolean): string {
  if (call.call_status === "ongoing") return "The call goes on: its words are here once it is over.";
  if (isLive) return "Nobody has answered yet.";
  return call.answered_at === null ? "Nobody answered, so nothing was said." : "Nothing was said.";
}

/** Who and what belonged to it. */
function Details({ call }: { call: Call }) {
  const agent = useAnswer("GET /v1/agents/:agent_id", { params: { agent_id: call.agent_id } }).data?.agent;
  const campaigns = call.purpose === "transfer" ? "/sms-campaigns" : "/voice-campaigns";
  return (
    <Paper p="md" component="section" aria-label="Details">
      <Title order={2} mb="xs">
        Details
      </Title>
      <Fields
        items={[
          call.lead_id !== null && [
            "Contact",
            <Anchor
              key="contact"
              component={Link}
              to={`/contacts?contact=${encodeURIComponent(call.lead_id)}`}
              size="sm"
            >
              {nameOf(call)}
            </Anchor>,
          ],
          ["Why it was made", PURPOSES[call.purpose] ?? spelled(call.purpose)],
          [
            "Agent",
            <Anchor key="agent" component={Link} to={`/agents/${call.agent_id}`} size="sm">
              {agent?.agent_name ?? "Agent"}, version {call.agent_version}
            </Anchor>,
          ],
          call.campaign_id !== null && [
            "Campaign",
            <Anchor
              key="campaign"
              component={Link}
              to={`${campaigns}/${encodeURIComponent(call.campaign_id)}`}
              size="sm"
            >
              {call.campaign_id}
            </Anchor>,
          ],
          [
            "Other calls",
            <Anchor
              key="others"
              component={Link}
              to={`/calls?phone_number=${encodeURIComponent(otherSide(call))}`}
              size="sm"
            >
              With {formatPhone(otherSide(call))}
            </Anchor>,
          ],
          ["Carrier", call.carrier === "simulator" ? "Simulator" : call.carrier],
          call.speech_to_text !== null && [
            "Transcribed by",
            SPEECH_TO_TEXT[call.speech_to_text] ?? call.speech_to_text,
          ],
          call.codec !== null && ["Sound", soundWords(call.codec, call.encrypted)],
          call.carrier_code !== null && ["The carrier's own word", call.carrier_code],
          call.carrier_cause !== null && ["What it means", call.carrier_cause],
          call.caller_attestation !== null && ["The caller's number", attestationWords(call.caller_attestation)],
        ]}
      />
    </Paper>
  );
}

const SPEECH_TO_TEXT: Readonly<Record<string, string>> = {
  handset: "The simulated phone's own words",
  offline: "Pocketsphinx, on this machine",
};

const CODECS: Readonly<Record<string, string>> = {
  pcmu: "G.711 mu-law",
  pcma: "G.711 A-law",
  g722: "G.722, wideband",
  opus: "Opus, wideband",
};

const soundWords = (codec: string, isEncrypted: boolean | null): string =>
  `${CODECS[codec] ?? codec}, ${isEncrypted ? "encrypted" : "not encrypted"}`;

const VERDICTS: Readonly<Record<string, string>> = {
  passed: "checked by the carrier: it is the caller's",
  failed: "checked by the carrier: it may be forged",
  not_checked: "not checked by the carrier",
};

function attestationWords({ level, verdict }: { level: string | null; verdict: string | null }): string {
  const said = verdict === null ? "not checked here" : (VERDICTS[verdict] ?? verdict);
  return level === null ? said : `Attestation ${level}, ${said}`;
}

const PURPOSES: Readonly<Record<string, string>> = {
  call: "A campaign's first call",
  redial: "Called again, because nobody was reached before",
  callback: "The contact asked to be called back",
  transfer: "The contact asked for a call by text",
  single: "Somebody here asked for this one call",
};
