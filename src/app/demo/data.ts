// The content of the demo data: names, people and prompts. demo.ts creates it.

type Fields = Record<string, string | undefined>;

export const ORGANIZATIONS = [
  { name: "Sunrise Realty", contact_email: "hello@sunrise.example" },
  { name: "Blue Ridge Dental", contact_email: "front-desk@blueridge.example" },
] as const;

/** Two an organization, the first its admin. */
export const USERS = [
  { name: "Dana Whitfield", permission: "admin" },
  { name: "Luis Ortega", permission: "manager" },
  { name: "Priya Raman", permission: "admin" },
  { name: "Sam Okafor", permission: "viewer" },
] as const;

export const HOME_FIELDS = ["interest", "budget", "best_time", "email"];

export const TEXT_AGENTS = {
  seller: {
    agent_name: "Sunny",
    prompt:
      "Find out whether the contact wants to buy or sell a home this year, their budget, and the best time of day to talk. Our commission is 5 percent and is paid only when a home sells. The first visit is free. Our office is at 12 Harbor Street and is open every day from 9 to 6. You left your number on our website. Never promise a price. After that an agent calls you to arrange a visit.",
    starting_message:
      "Hi {{first_name}}, this is Sunny from Sunrise Realty. Are you thinking of buying or selling in {{city}} this year?",
    extraction_fields: HOME_FIELDS,
    drip_schedule: [
      { day: 1, message: "Hi {{first_name}}, just checking in. Is a move on your mind this year?" },
      { day: 3, message: "Last note from me, {{first_name}}: I'm here whenever you want to talk about homes." },
    ],
    reply_delay_ms: 1_000,
  },
  inviter: {
    agent_name: "Olive",
    prompt:
      "Invite the contact to the open house on Saturday at 10am, and find out whether they come. The open house is at 40 Lake View Road and takes two hours. There is parking in front of the house. You left your number on our website.",
    starting_message:
      "Hi {{first_name}}, Olive from Sunrise Realty: our open house is on Saturday at 10am. Can you make it?",
    extraction_fields: ["interest", "email"],
    reply_delay_ms: 1_000,
  },
  reminder: {
    agent_name: "Mia",
    prompt:
      "Remind the contact of the check-up that is due, and find out which day suits them. A check-up costs 80 dollars without insurance and takes 30 minutes. We are at 5 Mill Street and open Monday to Friday from 8 to 5. You are our patient, that is why we have your number.",
    starting_message:
      "Hi {{first_name}}, this is Mia from Blue Ridge Dental. Your check-up is due. Which day suits you?",
    extraction_fields: ["best_time", "email"],
    reply_delay_ms: 1_000,
  },
};

export const VOICE_AGENTS = {
  caller: {
    agent_name: "Sunny",
    voice_id: "slt",
    prompt: "Find out whether the contact wants to buy or sell a home this year, and their budget.",
    starting_message: "Hi {{first_name}}, this is Sunny from Sunrise Realty. Do you have a minute?",
    voicemail_message: "Hi, this is Sunny from Sunrise Realty. I will try you again another day.",
    extraction_fields: ["interest", "budget", "best_time"],
    end_call_after_silence_ms: 20_000,
  },
  receptionist: {
    agent_name: "Mia",
    voice_id: "awb",
    prompt: "Find out whether the contact wants to make an appointment for a check-up, and the best time for it.",
    starting_message: "Hi {{first_name}}, this is Mia from Blue Ridge Dental. Is this a good time?",
    voicemail_message: "Hi, this is Mia from Blue Ridge Dental. Please call us back about your check-up.",
    extraction_fields: ["interest", "best_time", "email"],
    ambient_sound: "call-center",
  },
};

/** Real area codes of every zone there is, Puerto Rico's among them, with a city that lies there. */
const PLACES: readonly (readonly [areaCode: string, city: string, state: string])[] = [
  ["212", "New York", "NY"],
  ["305", "Miami", "FL"],
  ["312", "Chicago", "IL"],
  ["404", "Atlanta", "GA"],
  ["512", "Austin", "TX"],
  ["602", "Phoenix", "AZ"],
  ["303", "Denver", "CO"],
  ["206", "Seattle", "WA"],
  ["415", "San Francisco", "CA"],
  ["702", "Las Vegas", "NV"],
  ["907", "Anchorage", "AK"],
  ["808", "Honolulu", "HI"],
  ["317", "Indianapolis", "IN"],
  ["615", "Nashville", "TN"],
  ["901", "Memphis", "TN"],
  ["216", "Cleveland", "OH"],
  ["504", "New Orleans", "LA"],
  ["612", "Minneapolis", "MN"],
  ["816", "Kansas City", "MO"],
  ["505", "Albuquerque", "NM"],
  ["208", "Boise", "ID"],
  ["801", "Salt Lake City", "UT"],
  ["503", "Portland", "OR"],
  ["619", "San Diego", "CA"],
  ["714", "Anaheim", "CA"],
  ["214", "Dallas", "TX"],
  ["713", "Houston", "TX"],
  ["202", "Washington", "DC"],
  ["617", "Boston", "MA"],
  ["787", "San Juan", "PR"],
];

/** As lists have them: shouted, squeezed, with titles, in other scripts, or not at all. */
const PEOPLE: readonly (readonly [first: string | undefined, last: string | undefined])[] = [
  ["Ada", "Lindqvist"],
  ["  ben ", "O'Neill-Garza"],
  ["Chloé", "Lefèvre"],
  ["DMITRI", "PETROV"],
  ["Eve", undefined],
  ["farah", "al-Sayed"],
  ["George", "van der Berg III"],
  ["Hana", "山田"],
  ["Iván José", "Núñez Ortiz"],
  ["Jo", "D’Angelo"],
  ["Dr. Kim", "Park, DDS"],
  ["Lou & Pat", "Whitaker"],
  ["mary ann", "st. john"],
  [undefined, "Nguyen"],
  ["Zoë", "Müller-Łukasiewicz"],
  ["O", "B"],
  ["Xiomara", "de la Cruz"],
];

/** Texted, by their last two digits: people who answer, and each way in which a text can go wrong (docs/simulator.md). */
const TEXTED = "00 01 02 03 23 04 05 06 20 07 08 24 09 10 21 11 12 26 13 22 40 41 42 25".split(" ");
/** Called with audio: each way in which a call can go. */
const WITH_AUDIO = ["16", "31", "32", "33", "17", "34", "35", "36", "37", "30", "38", "39", "19"];
/** Called as text. */
const READ = ["16", "17", "31", "18", "19", "32", "14", "33", "34", "35", "36", "37", "38", "39", "15"];

/** Takes no call, for the outcome that no scripted number has. */
export const UNREACHABLE = "+12125550118";

const person = (i: number, digits: string): Fields => {
  const [areaCode, city, state] = PLACES[i % PLACES.length]!;
  const [first_name, last_name] = PEOPLE[i % PEOPLE.length]!;
  // People move and keep their numbers: some live elsewhere than their area code says, and some lists say nothing of it.
  const [, livesIn, livesInState] = i % 7 === 0 ? PLACES[(i + 11) % PLACES.length]! : ["", city, state];
  return {
    phone_number: i % 5 === 0 ? `(${areaCode}) 555-01${digits}` : `+1${areaCode}55501${digits}`,
    ...(first_name === undefined ? {} : { first_name }),
    ...(last_name === undefined ? {} : { last_name }),
    ...(i % 12 === 3 ? {} : { city: livesIn, state: livesInState }),
    ...(i % 3 === 0 ? { email: `contact${i}@example.com` } : {}),
    ...(i % 4 === 0 ? { consent_basis: "express_written", consent_source: "web form" } : {}),
    lead_source: ["web form", "open house", "referral", "imported"][i % 4],
  };
};

const texted = Array.from({ length: 221 }, (_, i) =>
  person(i, TEXTED[((i % PLACES.length) * 5 + Math.floor(i / PLACES.length)) % TEXTED.length]!),
);

/** Where it is not yet day when the mainland's hours begin. */
const isOffshore = ({ phone_number, state }: Fields): boolean =>
  /^\(?\+?1?(?:907|808|787)/.test(phone_number!) || ["AK", "HI", "PR"].includes(state ?? "");

/** In zones where the hours are open, so that their campaign comes to its end. */
const invited = texted.filter((contact) => !isOffshore(contact)).slice(0, 51);
const others = texted.filter((contact) => !invited.includes(contact));

/** 300 contacts, no two of one number. */
export const CONTACTS = {
  invited,
  asked: others.slice(0, 110),
  reminded: others.slice(110),
  withAudio: [
    // Of the mainland, where the hours are open.
    ...WITH_AUDIO.map((digits, i) => person(i + 12, digits)),
    { phone_number: UNREACHABLE, first_name: "Noor", last_name: "Haddad", city: "New York", state: "NY" },
  ],
  read: Array.from({ length: 65 }, (_, i) =>
    // From another place on, so that nobody is called both with audio and as text.
    person(i + 3, READ[((i % PLACES.length) + Math.floor(i / PLACES.length) * 5) % READ.length]!),
  ),
};

/** Of those that are asked, somebody who is texted at once, and answers. */
export const TALKER = CONTACTS.asked.find(
  (contact) => !isOffshore(contact) && contact.first_name && contact.city && /^\+\d+010\d$/.test(contact.phone_number!),
)!.phone_number!;

const company = {
  entityType: "PRIVATE_PROFIT",
  country: "US",
  vertical: "REAL_ESTATE",
  street: "1 Main Street",
  city: "Phoenix",
  state: "AZ",
  postalCode: "85004",
  email: "legal@sunrise.example",
};

/** One in each status, by the end of its EIN (docs/simulator.md). */
export const BRANDS = [
  { ...company, displayName: "Sunrise Realty", companyName: "Sunrise Realty LLC", ein: "12-3456789" },
  { ...company, displayName: "Sunrise Homes", companyName: "Sunrise Homes LLC", ein: "12-3450000" },
  { ...company, displayName: "Sunrise Lending", companyName: "Sunrise Lending LLC", ein: "12-3459999" },
];

/** Listed before anybody was called. */
export const NOT_TO_BE_CALLED = [
  { phone: "+13125550195", reason: "asked at the front desk" },
  { phone: "+15125550196", reason: "complaint of 12 May" },
  { phone: "+14155550197", reason: undefined },
];
