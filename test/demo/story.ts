import type { Parley } from "#test/support/api/parley.ts";
import { ORGANIZATIONS, TEXT_AGENTS, USERS, VOICE_AGENTS } from "./agents.ts";
import { clockOf, type Move } from "./clock.ts";
import {
  CALLED_BACK,
  HANDED_OVER,
  HEARD,
  type Lines,
  READ,
  TO_CALLER,
  TO_INVITER,
  TO_RECEPTIONIST,
  TO_REMINDER,
  TO_SELLER,
} from "./lines.ts";
import { crowd, type Person, phoneOf } from "./people.ts";

/** A Monday of a spring without a change of clocks or a holiday, so that the story is the same whenever it is played. */
export const FIRST_DAY = Date.UTC(2035, 3, 2);
export const DAYS = 21;
/** Noon in New York: when the last day breaks off, for the person who looks on to take over. */
export const END = new Date(FIRST_DAY + DAYS * 86_400_000 + 16 * 3_600_000);
const at = (day: number, hour: number, minute = 0): Date =>
  new Date(FIRST_DAY + day * 86_400_000 + hour * 3_600_000 + minute * 60_000);

const DIGITS =
  "00 01 02 03 04 30 31 05 06 20 07 32 08 33 09 10 34 11 36 12 35 13 40 14 37 15 21 16 38 17 22 18 39 41 19 42".split(
    " ",
  );

const chosen = (of: Readonly<Record<string, { phone: string; name: string; in: string }>>, agent: string): Person[] =>
  Object.values(of)
    .filter((one) => one.in === agent)
    .map(({ phone, name }) => ({
      phone_number: phone,
      first_name: name.split(" ")[0]!,
      last_name: name.split(" ").slice(1).join(" "),
      lead_source: "web form",
      consent_basis: "express_written",
      consent_source: "web form",
    }));

/** 300 contacts with those that are chosen, no two of one number. */
export const PEOPLE = {
  asked: [...chosen(READ, "seller"), ...crowd(101, 0, DIGITS)],
  invited: [...chosen(READ, "inviter"), ...crowd(50, 101, DIGITS)],
  reminded: [...chosen(READ, "reminder"), ...crowd(69, 151, DIGITS)],
  calledLater: crowd(36, 220, DIGITS),
  /** Whom the campaigns that run while somebody looks on text and call. */
  visitors: crowd(30, 256, DIGITS),
  heard: { caller: chosen(HEARD, "caller"), receptionist: chosen(HEARD, "receptionist") },
};

/** Some answer at once, some when they next look at their phone. */
const DELAYS = [25_000, 70_000, 240_000, 900_000, 2_700_000];
const RINGING = [4_000, 5_000, 6_000, 7_000, 9_000];

/** Plays three weeks. `say` is given each day. */
export async function story(api: Parley, say: (line: string) => void): Promise<Move[]> {
  const clock = clockOf(api);
  try {
    const post = async (path: string, body: object) => {
      const answer = await api.post(path, body);
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const script = async (people: readonly Person[], lines: readonly Lines[], greeting?: string, delays = DELAYS) => {
      await Promise.all(
        people.map(async (one, i) => {
          const says = lines[i % lines.length]!;
          const answer = await api.put(`/v1/simulator/handsets/${encodeURIComponent(phoneOf(one))}`, {
            says,
            answer_delay_ms: delays[i % delays.length]!,
            ...(greeting === undefined ? {} : { greeting }),
          });
          if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
        }),
      );
    };
    /** Has one that is chosen say this when it is called. */
    const play = async (what: string, of: Record<string, { phone: string }>, says: Lines, greeting: string) => {
      const { phone } = of[what]!;
      const answer = await api.put(
        `/v1/simulator/handsets/${encodeURIComponent(phone)}`,
        what === "a voicemail" ? { behavior: "voicemail" } : { says, greeting, answer_delay_ms: 5_000 },
      );
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    };
    /** Phones whose digits script something else keep it. */
    const talkers = (people: readonly Person[]) => people.filter((one) => /(?:[01]\d|30)$/.test(phoneOf(one)));
    await clock.to(at(0, 13));

    say("organizations, agents, numbers, contacts");
    const organizations: string[] = [];
    for (const organization of ORGANIZATIONS)
      organizations.push((await post("/v1/organizations", organization)).unique_id);
    const users: string[] = [];
    for (const [i, user] of USERS.entries())
      users.push((await post(`/v1/organizations/${organizations[Math.floor(i / 2)]}/users`, user)).unique_id);
    const owner = (of: number) => ({ organization_id: organizations[of]!, user_id: users[of * 2]! });
    const agents = new Map<string, { agent_id: string; voice_agent_id?: string }>();
    for (const [name, { at: of, ...agent }] of Object.entries(TEXT_AGENTS))
      agents.set(name, await post("/v1/agents", { agent_type: "sms", ...agent, ...owner(of) }));
    for (const [name, { at: of, ...agent }] of Object.entries(VOICE_AGENTS))
      agents.set(name, await post("/v1/agents", { agent_type: "voice", ...agent, ...owner(of) }));
    const numbers: string[] = [];
    for (const [of, area_code] of ["602", "704"].entries())
      numbers.push((await post("/v1/voice/phone-numbers/create", { area_code, ...owner(of) })).phone_number);
    await post("/v1/contacts/lists", {
      list_name: "Buyers and sellers",
      ...owner(0),
      contacts: [...PEOPLE.asked, ...PEOPLE.invited, ...PEOPLE.heard.caller],
    });
    await post("/v1/contacts/lists", {
      list_name: "Visitors of Lake View Road",
      ...owner(0),
      contacts: PEOPLE.visitors,
    });
    await post("/v1/contacts/lists", {
      list_name: "Patients",
      ...owner(1),
      contacts: [...PEOPLE.reminded, ...PEOPLE.calledLater, ...PEOPLE.heard.receptionist],
    });
    await script(talkers(PEOPLE.asked), TO_SELLER);
    await script(talkers(PEOPLE.invited), TO_INVITER);
    await script(talkers(PEOPLE.reminded), TO_REMINDER);
    for (const { phone, says } of Object.values(READ))
      await api.put(`/v1/simulator/handsets/${encodeURIComponent(phone)}`, { says, answer_delay_ms: 40_000 });

    const texts = async (id: string, name: string, of: number, agent: string, contacts: readonly Person[], more = {}) =>
      post("/v1/campaigns", {
        campaign_id: id,
        campaign_name: name,
        sms_agent_id: agents.get(agent)!.agent_id,
        svc_sms_number: numbers[of],
        contacts,
        ...owner(of),
        ...more,
      });
    const calls = async (id: string, name: string, of: number, agent: string, leads: readonly Person[], more = {}) =>
      post("/v1/voice/campaigns", {
        campaign_id: id,
        campaign_name: name,
        voice_agent_id: agents.get(agent)!.voice_agent_id,
        agent_outbound_number: numbers[of],
        leads,
        redial_enabled: true,
        redial_config: { max_attempts: 3, retry_delay_minutes: 180 },
        ...owner(of),
        ...more,
      });

    say("week 1");
    await clock.to(at(1, 17));
    await texts("demo_open_house", "Open house on Lake View Road", 0, "inviter", PEOPLE.invited);
    await clock.to(at(2, 15));
    await texts("demo_check_up_texts", "Check-up reminders", 1, "reminder", PEOPLE.reminded);
    await clock.to(at(4, 17));
    await texts("demo_spring", "Spring check-in", 0, "seller", PEOPLE.asked, {
      enable_sms_to_voice: true,
      voice_agent_id: agents.get("caller")!.voice_agent_id,
      outbound_number: numbers[0],
    });
    await clock.to(at(4, 20));
    await play("a hand-over from text to call", READ, HANDED_OVER, "Hello, this is Victor.");
    say("week 2");
    await clock.to(at(8, 16));
    const patients = [...PEOPLE.calledLater, ...PEOPLE.reminded.slice(28, 68)];
    await script(talkers(patients), TO_RECEPTIONIST, "Hello?", RINGING);
    await calls("demo_check_ups", "Check-up reminders by phone", 1, "receptionist", patients);
    // Whoever was called back is at leisure then.
    await clock.to(at(9, 11));
    await script(talkers(patients), TO_RECEPTIONIST.slice(0, -1), "Hello?", RINGING);
    await clock.to(at(10, 17));
    const sellers = PEOPLE.asked.slice(40, 100);
    await script(talkers(sellers), TO_CALLER, "Hello?", RINGING);
    await calls("demo_sellers_by_phone", "Sellers who did not reply", 0, "caller", sellers);
    await clock.to(at(11, 11));
    await script(talkers(sellers), TO_CALLER.slice(0, -1), "Hello?", RINGING);
    say("week 3, with sound");
    await clock.to(at(15, 15));
    for (const [what, { says }] of Object.entries(HEARD)) await play(what, HEARD, says, "Hello?");
    await calls("demo_spring_calls", "Spring calls", 0, "caller", PEOPLE.heard.caller, { max_concurrent_calls: 3 });
    await clock.to(at(15, 16));
    await calls("demo_recalls", "Recalls by phone", 1, "receptionist", PEOPLE.heard.receptionist, {
      max_concurrent_calls: 3,
    });
    await clock.to(at(15, 16, 30));
    await play("a callback kept", HEARD, CALLED_BACK, "Hello, this is Wanda.");
    await clock.to(at(17, 15));
    // On the phone some were asked for a price: the guests that this agent asks for are another number.
    const recipients = PEOPLE.asked.slice(8, 70);
    await script(talkers(recipients), TO_INVITER);
    await texts("demo_price_drop", "Price update on Lake View Road", 0, "inviter", recipients);
    await clock.to(at(19, 15));
    await texts("demo_late_patients", "Patients of last autumn", 1, "reminder", PEOPLE.calledLater);
    await script(talkers(PEOPLE.visitors), TO_SELLER, "Hello?", [4_000, 12_000, 25_000, 50_000, 90_000]);
    await clock.to(at(20, 18));
    await texts("demo_summer", "Check-ups in summer", 1, "reminder", PEOPLE.reminded, {
      campaign_begin_time: at(DAYS + 7, 15).toISOString(),
    });
    say("the last day");
    await clock.to(END);
    return clock.moves;
  } finally {
    await clock.close();
  }
}
