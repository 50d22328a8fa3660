// What people say, by whom they are texted and called. An empty list is somebody who does not answer.

export type Lines = readonly string[];

export const TO_SELLER: readonly Lines[] = [
  [],
  ["yeah we are thinking of it", "around 450k I guess", "evenings after 6", "ok thanks"],
  [],
  ["Not this year, sorry"],
  [
    "How much commission do you take?",
    "hm ok. yes we want to sell",
    "I'd say 380,000",
    "tomorrow at 10 works",
    "Thank you!",
  ],
  [],
  ["who is this?", "ah ok. no, we just moved in"],
  ["Maybe. What would it cost me?", "sounds fair. I hope to get 295k", "mornings", "thx bye"],
  [],
  ["Yes", "Like 610k", "call me tomorrow afternoon", "great, bye"],
  [
    "how did you get my number",
    "oh right. yes I would sell for the right price",
    "not under 700,000",
    "weekday mornings",
  ],
  [],
  ["Are you a robot?", "lol ok. not selling, thanks"],
  ["STOP"],
  [],
  ["yes but only in spring", "520k", "after 5pm please", "👍"],
];

export const TO_INVITER: readonly Lines[] = [
  ["Yes, we'll be there", "2 of us", "see you there, my email is jo.park@example.com"],
  [],
  ["what does it cost?", "ok, I'm coming", "just me", "no email please, thanks"],
  ["Sorry, can't make it"],
  [],
  ["Is there parking?", "great, count me in", "3", "rossi.family@example.com", "thanks!"],
  [],
  ["no thanks"],
  ["how long does it take?", "yes I can come", "4 people", "me@larsen.example", "bye"],
];

export const TO_REMINDER: readonly Lines[] = [
  ["tomorrow at 9am", "yes I have insurance", "thanks Mia"],
  [],
  ["How much is it without insurance?", "ok, tomorrow at 2pm then", "no insurance"],
  ["mornings are best", "yes, Delta Dental", "thank you"],
  [],
  ["I changed dentists, sorry"],
  ["where are you again?", "right. in two days at 11am", "yes", "bye"],
  [],
  ["next week at 3pm", "no", "👍"],
];

/** In calls: the greeting is the phone's own. */
export const TO_CALLER: readonly Lines[] = [
  ["Yes, we might sell.", "I would say 400,000 dollars.", "Tomorrow at 10 in the morning.", "Thank you, bye."],
  ["No, we are happy here. Thanks.", "Bye."],
  ["What is your commission?", "Okay. Yes, I want to sell.", "About 350,000.", "Mornings are good.", "Bye."],
  ["Who is this?", "I see. Not this year.", "Goodbye."],
  ["I'm driving right now. Can you call me back tomorrow at 2pm?", "Okay, bye."],
];
export const TO_RECEPTIONIST: readonly Lines[] = [
  ["Tomorrow at 9 in the morning.", "Yes, I have insurance.", "Thank you, bye."],
  ["How long does it take?", "Okay. Tomorrow at 4 pm.", "No, I don't have insurance.", "Bye."],
  ["I already have an appointment, thank you.", "Bye."],
  ["Great, that is wonderful, thank you. Tomorrow at 11 am.", "Yes.", "Perfect, bye."],
  ["This is a bad time. Can you call me back tomorrow at 3pm?", "Okay, bye."],
];

/** Conversations to be read, by what each shows. They are had in the campaign of the agent that is named. */
export const READ = {
  "an appointment made": {
    in: "reminder",
    phone: "+16025550143",
    name: "Evelyn Brooks",
    says: ["hi Mia, tomorrow at 10am?", "yes, I have insurance", "perfect, see you then"],
  },
  "an objection answered": {
    in: "seller",
    phone: "+14805550144",
    name: "Marcus Holloway",
    says: [
      "Agents always take too much. How much commission do you take?",
      "hm ok. yes, we want to sell. does the first visit cost anything?",
      "around 465k",
      "tomorrow at 5pm",
      "thanks",
    ],
  },
  "a correction": {
    in: "reminder",
    phone: "+16235550145",
    name: "Naomi Castellanos",
    says: ["tomorrow at 9am", "Sorry, I meant tomorrow at 2pm", "yes, I have insurance", "thank you!"],
  },
  "a STOP": { in: "seller", phone: "+15205550146", name: "Trevor Bauer", says: ["STOP"] },
  "a wrong number": {
    in: "seller",
    phone: "+12065550147",
    name: "Ivy Chen",
    says: ["You have the wrong number, I'm not Ivy"],
  },
  "a hand-over from text to call": {
    in: "seller",
    phone: "+13035550148",
    name: "Victor Reyes",
    says: ["I'd rather talk on the phone. Can you call me at 5pm today?", "great"],
  },
  "bad news met with kindness": {
    in: "reminder",
    phone: "+17045550149",
    name: "Harriet Thornton",
    says: ["My husband passed away last week, I can't think about this now"],
  },
  "an answer in Spanish": {
    in: "inviter",
    phone: "+15055550150",
    name: "Rosa Delgado",
    says: ["¿Quién es?", "Sí, voy a ir", "somos 3", "rosa.delgado@example.com", "gracias"],
  },
} as const;

/** What is said in the call that was asked for by text. */
export const HANDED_OVER: Lines = [
  "Yes, we want to sell.",
  "About 400,000 dollars.",
  "Mornings are good.",
  "Thanks, bye.",
];

/** Calls to be heard, by what each shows. */
export const HEARD = {
  "an appointment made by phone": {
    in: "receptionist",
    phone: "+16025550151",
    name: "Calvin Feldman",
    says: ["Mornings are best for me.", "Yes, I have insurance.", "Thank you, goodbye."],
  },
  "an objection answered by phone": {
    in: "caller",
    phone: "+14805550152",
    name: "Denise Abernathy",
    says: [
      "Why should I sell with you? What is your commission?",
      "All right. Yes, we want to sell.",
      "About 450,000 dollars.",
      "Afternoons.",
      "Thank you, goodbye.",
    ],
  },
  "a voicemail": { in: "caller", phone: "+16235550153", name: "Oscar Lindqvist", says: [] },
  "a callback kept": {
    in: "receptionist",
    phone: "+15205550154",
    name: "Wanda McBride",
    says: ["I am at work. Can you call me back tomorrow at 2 pm?", "Okay, goodbye."],
  },
  "a correction by phone": {
    in: "receptionist",
    phone: "+13125550155",
    name: "Jerome Kowalski",
    says: ["Mornings are best for me.", "Sorry, I meant afternoons.", "No, I have no insurance.", "Thanks, bye."],
  },
  "a removal request": {
    in: "caller",
    phone: "+15125550156",
    name: "Sheila Fitzgerald",
    says: ["Please take me off your list.", "Goodbye."],
  },
} as const;

/** What is said in the callback. */
export const CALLED_BACK: Lines = [
  "Thanks for calling back. Afternoons are good.",
  "Yes, I have insurance.",
  "Great, goodbye.",
];
