import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { Utterance } from "#domain/calls/report.ts";
import { mediaName } from "#domain/messaging/media.ts";
import { type IdKind, parseId, publicId } from "#domain/values/id.ts";
import { wavHeader } from "#media/recording/wav.ts";
import { insertCalls } from "#test/support/calls/calls.ts";
import { type MarkedTenant, SHARED_CAMPAIGN } from "./marked-tenant.ts";

/**
 * Gives a marked tenant what takes workers, media nodes and models to come about, as these would have written it: two calls with words and
 * recordings, a file that came with a text, two extractions, and two recipients of its voice campaign that no call has reached. Its `call` is one of those calls from then on.
 */
export async function aPast(sql: pg.Client, dataDir: string, { things, mark }: MarkedTenant): Promise<void> {
  const uuid = (kind: IdKind, id: string) => parseId(kind, id)!;
  const tenantId = uuid("tenant", things.tenant);
  const { rows } = await sql.query<{
    campaign_id: string;
    id: string;
    agent_id: string;
    thread: string;
    phone: string;
  }>(
    `select campaign.campaign_id, campaign.id, campaign.agent_id, thread.id as thread, thread.phone
     from campaigns campaign
     join threads thread on thread.tenant_id = campaign.tenant_id and thread.campaign_id = campaign.id
     where campaign.tenant_id = $1 order by thread.id`,
    [tenantId],
  );
  const threadsOf = (campaign: string) => rows.filter((row) => row.campaign_id === campaign);
  const [voice, ...later] = threadsOf(things.voice_campaign);
  assert.ok(voice && later.length === 2, "the voice campaign has three recipients");

  const recordings = join(dataDir, "recordings", mark);
  mkdirSync(recordings, { recursive: true });
  const of = {
    tenantId,
    organizationId: uuid("organization", things.organization),
    userId: uuid("user", things.user),
    agentId: voice.agent_id,
    publicOrganizationId: things.organization,
    publicUserId: things.user,
  };
  const said: Utterance[] = [
    { role: "agent", text: `This is ${mark}.`, startMs: 0, endMs: 900, words: [] },
    {
      role: "contact",
      text: mark,
      startMs: 1_000,
      endMs: 1_400,
      words: [{ word: mark, startMs: 1_000, endMs: 1_400 }],
    },
  ];
  const calls = [1, 2].map((n) => {
    // Sound is bytes like any other: the mark is found in them.
    const sound = Buffer.from(mark.repeat(80));
    const file = Buffer.concat([wavHeader("pcm16", sound.length), sound]);
    writeFileSync(join(recordings, `${n}.wav`), file);
    return {
      start_at: new Date(Date.now() - n * 3_600_000),
      phone: things.phone,
      campaign_id: voice.id,
      detail: {
        transcript: `Agent: This is ${mark}.\nUser: ${mark}\n`,
        utterances: said,
        extracted_fields: { [`interest_${mark}`]: mark },
        evidence: { [`interest_${mark}`]: { quote: mark } },
        summary: `They are ${mark}.`,
        recording: `${mark}/${n}.wav`,
        recording_bytes: file.length,
        recording_ms: 10,
      },
    };
  });
  const [call] = await insertCalls(sql, of, calls);
  things.call = publicId("call", call!);

  const [texted] = threadsOf(things.campaign);
  const mediaId = randomUUID();
  const words = Buffer.from(`Sent by ${mark}`);
  mkdirSync(join(dataDir, "recordings", tenantId, "media"), { recursive: true });
  writeFileSync(join(dataDir, "recordings", mediaName(tenantId, mediaId)), words);
  await sql.query(
    `insert into message_media (tenant_id, id, campaign_id, message_id, phone, carrier, state, content_type, bytes, created_at)
     values ($1, $2, $3, $4, $5, 'simulator', 'kept', 'text/plain', $6, now())`,
    [tenantId, mediaId, texted!.id, uuid("message", things.message), texted!.phone, words.length],
  );
  things.media = publicId("media", mediaId);

  for (const campaign of [things.campaign, SHARED_CAMPAIGN]) {
    for (const { id, thread } of threadsOf(campaign)) {
      await sql.query(
        `insert into extractions (tenant_id, campaign_id, thread_id, fields, evidence, objective_met, do_not_message, call_transferred,
           call_scheduled, extracted_at, through_step)
         values ($1, $2, $3, $4, '{}', true, false, false, false, now(), 1) on conflict do nothing`,
        [tenantId, id, thread, JSON.stringify({ [`interest_${mark}`]: mark })],
      );
    }
  }
  // None is owed any more, which a worker would see to some time in a long test.
  await sql.query("update threads set extraction_due_at = null where tenant_id = $1", [tenantId]);
  await sql.query(
    `update dials set state = 'suppressed', due_at = null, reason = 'no_consent'
     where tenant_id = $1 and campaign_id = $2 and thread_id = any($3)`,
    [tenantId, voice.id, later.map(({ thread }) => thread)],
  );
}
