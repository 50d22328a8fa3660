type Json = Record<string, unknown>;

const DEMO_CAMPAIGN = "demo_campaign";
const DEMO_CALLS = "demo_calls";
const SENDER = "+12125550100";
/** Area codes of every mainland zone, so that a weekday morning in the east is one nearly everywhere. */
const AREA_CODES = ["212", "305", "312", "404", "512", "602", "303", "206", "415", "702"];
const NAMES = ["Ada", "Ben", "Chloé", "Dmitri", "Eve", "Farah", "George", "Hana", "Iván", "Jo"];
/** Noon or 13:00 in New York, 9:00 or 10:00 in Los Angeles: open for every mainland zone, summer and winter. */
const MORNING_UTC_HOUR = 17;

/**
 * Loads demo data through the API, as a user would, and starts a campaign that simulated phones answer. Sets the tenant's
 * clock to a weekday's noon in the east, so that it runs at any hour. Loading twice changes nothing.
 */
export async function loadDemo(url: string, key: string): Promise<string[]> {
  const call = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await fetch(url + path, {
      method,
      headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await response.json()) as Json;
  };
  const watch = `Watch it: curl -H 'X-API-Key: ${key}' ${url}/v1/campaigns/${DEMO_CAMPAIGN}`;
  const calls = `Its calls: curl -H 'X-API-Key: ${key}' ${url}/v1/voice/campaigns/${DEMO_CALLS}/calls`;
  const there = await call("GET", `/v1/campaigns/${DEMO_CAMPAIGN}`);
  if (there.success === true) return ["The demo is loaded.", watch, calls];

  await call("POST", "/v1/simulator/clock", {
    to: nextWeekdayMorning(new Date(String((await call("GET", "/v1/simulator/clock")).now))),
  });
  const organization = await call("POST", "/v1/organizations", {
    name: "Sunrise Realty",
    contact_email: "hello@sunrise.example",
  });
  const organization_id = organization.unique_id;
  const user = await call("POST", `/v1/organizations/${organization_id}/users`, {
    name: "Demo Admin",
    email: `demo-${String(organization_id).slice(-6)}@sunrise.example`,
    permission: "admin",
  });
  const user_id = user.unique_id;
  const agent = await call("POST", "/v1/agents", {
    agent_type: "sms",
    agent_name: "Sunny",
    organization_id,
    user_id,
    prompt:
      "Find out whether the contact wants to buy or sell a home this year, their budget, and the best time of day to talk.",
    starting_message:
      "Hi {{first_name}}, this is Sunny from Sunrise Realty. Are you thinking of buying or selling in {{city}} this year?",
    extraction_fields: ["interest", "budget", "best_time", "email"],
    drip_schedule: [
      { day: 1, message: "Hi {{first_name}}, just checking in. Is a move on your mind this year?" },
      {
        day: 3,
        message: "Last note from me, {{first_name}}: I'm here whenever you want to talk about homes in {{city}}.",
      },
    ],
    reply_delay_ms: 1000,
  });
  const campaign = await call("POST", "/v1/campaigns", {
    campaign_id: DEMO_CAMPAIGN,
    campaign_name: "Spring check-in",
    organization_id,
    user_id,
    sms_agent_id: agent.agent_id,
    svc_sms_number: SENDER,
    contacts: demoContacts(0, 30),
  });
  const caller = await call("POST", "/v1/agents", {
    agent_type: "voice",
    agent_name: "Sunny",
    organization_id,
    user_id,
    voice_id: "slt",
    prompt: "Find out whether the contact wants to buy or sell a home this year, and their budget.",
    starting_message: "Hi {{first_name}}, this is Sunny from Sunrise Realty. Do you have a minute?",
    voicemail_message: "Hi, this is Sunny from Sunrise Realty. I will try you again another day.",
    extraction_fields: ["interest", "budget", "best_time"],
  });
  const calling = await call("POST", "/v1/voice/campaigns", {
    campaign_id: DEMO_CALLS,
    campaign_name: "Spring calls",
    organization_id,
    user_id,
    voice_agent_id: caller.agent_id,
    agent_outbound_number: SENDER,
    redial_enabled: true,
    leads: demoContacts(30, 10),
  });
  for (const made of [campaign, calling]) {
    if (made.success !== true) throw new Error(`The demo could not be loaded: ${made.error}`);
  }
  const phone = encodeURIComponent("+12125550100");
  return [
    "The demo campaigns are running on simulated phones: one texts, one calls.",
    watch,
    `A conversation: curl -H 'X-API-Key: ${key}' ${url}/v1/sms/threads/${phone}_${DEMO_CAMPAIGN}`,
    calls,
  ];
}

/** Scripted handsets in each of ten area codes: so many from these last two digits on. */
function demoContacts(from: number, count: number): Json[] {
  return AREA_CODES.flatMap((areaCode, a) =>
    Array.from({ length: count }, (_, i) => ({
      phone_number: `+1${areaCode}55501${String(from + i).padStart(2, "0")}`,
      first_name: NAMES[(a + i) % NAMES.length],
      last_name: `Demo ${from + i}`,
      city: "town",
      lead_source: "demo",
    })),
  );
}

function nextWeekdayMorning(now: Date): string {
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), MORNING_UTC_HOUR));
  const isWeekday = () => at.getUTCDay() >= 1 && at.getUTCDay() <= 5;
  while (at <= now || !isWeekday()) at.setUTCDate(at.getUTCDate() + 1);
  return at.toISOString();
}
