// The two organizations, their users and their agents.

export const ORGANIZATIONS = [
  { name: "Sunrise Realty", contact_email: "hello@sunrise.example" },
  { name: "Blue Ridge Dental", contact_email: "front-desk@blueridge.example" },
] as const;

/** Two an organization, the first its admin. */
export const USERS = [
  { name: "Dana Whitfield", email: "dana.demo-seed@demo.example", permission: "admin" },
  { name: "Luis Ortega", email: "luis.demo-seed@demo.example", permission: "manager" },
  { name: "Priya Raman", email: "priya.demo-seed@demo.example", permission: "admin" },
  { name: "Sam Okafor", email: "sam.demo-seed@demo.example", permission: "viewer" },
] as const;

const SUNRISE =
  "Our commission is 5 percent and is paid only when a home sells. The first visit is free. Our office is at 12 Harbor Street and is open every day from 9 to 6. You left your number on our website. We never promise a sale price. After that, one of our agents calls to arrange a visit.";
const BLUE_RIDGE =
  "A check-up costs 80 dollars without insurance and takes 30 minutes. We take most insurance plans. We are at 5 Mill Street and open Monday to Friday from 8 to 5. You are our patient, that is why we have your number.";

export const TEXT_AGENTS = {
  seller: {
    at: 0,
    agent_name: "Sunny",
    prompt: `You are Sunny from Sunrise Realty. Find out whether the contact wants to sell their home, what price they have in mind, and when an agent may call them. ${SUNRISE}`,
    starting_message:
      "Hi {{first_name|there}}, this is Sunny from Sunrise Realty. Are you thinking of selling your home this year?",
    extraction_fields: [
      { name: "wants_to_sell", type: "boolean", description: "Whether they want to sell their home" },
      { name: "asking_price", description: "The price they have in mind" },
      { name: "callback_time", description: "When an agent may call them" },
    ],
    drip_schedule: [
      { day: 1, message: "Hi {{first_name|there}}, just checking in. Is a move on your mind this year?" },
      { day: 4, message: "Last note from me, {{first_name|there}}: I'm here whenever you want to talk about homes." },
    ],
    reply_delay_ms: 8_000,
  },
  inviter: {
    at: 0,
    agent_name: "Olive",
    prompt:
      "You are Olive from Sunrise Realty. Invite the contact to the open house, find out whether they come, how many people come, and their email address for the directions. The open house is at 40 Lake View Road and takes two hours, from 10 to noon. There is parking in front of the house. The asking price is 525,000 dollars. You left your number on our website.",
    starting_message:
      "Hi {{first_name|there}}, Olive from Sunrise Realty: our open house at 40 Lake View Road is this weekend at 10am. Can you make it?",
    extraction_fields: [
      { name: "attending", type: "boolean", description: "Whether they come to the open house" },
      { name: "guests", type: "number", description: "How many people come" },
      { name: "email" },
    ],
    reply_delay_ms: 8_000,
  },
  reminder: {
    at: 1,
    agent_name: "Mia",
    prompt: `You are Mia from Blue Ridge Dental. Remind the contact of the check-up that is due, and find out which day and time suits them, and whether they have insurance. ${BLUE_RIDGE}`,
    starting_message:
      "Hi {{first_name|there}}, this is Mia from Blue Ridge Dental. Your check-up is due. Which day and time would suit you?",
    extraction_fields: [
      { name: "appointment_time", description: "The day and time that suits them" },
      { name: "has_insurance", type: "boolean", description: "Whether they have insurance" },
    ],
    drip_schedule: [
      { day: 2, message: "Hi {{first_name|there}}, your check-up is still due. Shall I look for a time for you?" },
    ],
    reply_delay_ms: 8_000,
  },
} as const;

export const VOICE_AGENTS = {
  caller: {
    at: 0,
    agent_name: "Sunny",
    voice_id: "slt",
    prompt: `You are Sunny from Sunrise Realty. Find out whether the contact wants to sell their home, what price they have in mind, and when an agent may visit. ${SUNRISE}`,
    starting_message:
      "Hi {{first_name|there}}, this is Sunny from Sunrise Realty. Are you thinking of selling your home this year?",
    voicemail_message: "Hi, this is Sunny from Sunrise Realty. I will try you again another day. Thank you.",
    extraction_fields: [
      { name: "wants_to_sell", type: "boolean", description: "Whether they want to sell their home" },
      { name: "asking_price", description: "The price they have in mind" },
      { name: "visit_time", description: "When an agent may visit" },
    ],
    end_call_after_silence_ms: 20_000,
  },
  receptionist: {
    at: 1,
    agent_name: "Mia",
    voice_id: "slt",
    prompt: `You are Mia from Blue Ridge Dental. The contact's check-up is due. Find out which day and time suits them, and whether they have insurance. ${BLUE_RIDGE}`,
    starting_message:
      "Hi {{first_name|there}}, this is Mia from Blue Ridge Dental. Your check-up is due. Which day and time would suit you?",
    voicemail_message: "Hi, this is Mia from Blue Ridge Dental. Please call us back about your check-up. Thank you.",
    extraction_fields: [
      { name: "appointment_time", description: "The day and time that suits them" },
      { name: "has_insurance", type: "boolean", description: "Whether they have insurance" },
    ],
    end_call_after_silence_ms: 20_000,
  },
} as const;
