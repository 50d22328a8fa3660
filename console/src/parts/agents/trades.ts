/** A field that an agent finds out, as the agent's form holds it. */
type Field = {
  name: string;
  description: string;
  type: "string" | "number" | "boolean";
  choices: string[];
  required: boolean;
};

export type Trade = {
  label: string;
  name: string;
  /** Behind "You are Ava of Acme." */
  goal: string;
  /** Behind "this is Ava of Acme." */
  question: string;
  fields: readonly Field[];
};

const text = (name: string, description: string): Field => ({
  name,
  description,
  type: "string",
  choices: [],
  required: false,
});
const amount = (name: string, description: string): Field => ({ ...text(name, description), type: "number" });
const yesNo = (name: string, description: string): Field => ({ ...text(name, description), type: "boolean" });

/** What agents of ten trades are for, what they ask first and what they find out. */
export const TRADES: Readonly<Record<string, Trade>> = {
  real_estate: {
    label: "Real estate",
    name: "Ava",
    goal: "Find out whether the contact thinks of selling their home, when, and what price they have in mind. Offer a free valuation. Never promise a price.",
    question: "Are you thinking of selling your home this year?",
    fields: [yesNo("interest", "Thinks of selling"), text("timeline", "When"), amount("asking_price", "In dollars")],
  },
  mortgage: {
    label: "Mortgage",
    name: "Mia",
    goal: "Find out whether the contact wants to refinance or buy, how much they need and when they can talk to a loan officer. Never name a rate.",
    question: "Are you still looking for a home loan?",
    fields: [
      text("loan_type", "Purchase or refinance"),
      amount("loan_amount", "In dollars"),
      text("best_time", "When a loan officer may call"),
    ],
  },
  insurance: {
    label: "Insurance",
    name: "Sam",
    goal: "Find out what the contact wants to insure, who insures it today and when that ends. A licensed agent gives the quote; never name a premium.",
    question: "Would you like a quote for your insurance?",
    fields: [
      text("coverage", "Home, auto, life or other"),
      text("current_insurer", "Who insures it today"),
      text("renewal", "When that ends"),
    ],
  },
  solar: {
    label: "Solar",
    name: "Leo",
    goal: "Find out whether the contact owns the home, what the electricity costs a month and whether a consultant may visit. Never promise savings.",
    question: "Do you own your home, and have you thought of solar?",
    fields: [
      yesNo("owns_home", "Owns the home"),
      amount("monthly_bill", "Electricity, dollars a month"),
      text("appointment", "When a consultant may visit"),
    ],
  },
  home_services: {
    label: "Home services",
    name: "Max",
    goal: "Find out what has to be repaired or installed, how urgent it is, and when somebody may come by. Never name a final price.",
    question: "Is there anything at your home that we can repair for you?",
    fields: [text("job", "What is to be done"), text("urgency", "How soon"), text("appointment", "When to come by")],
  },
  dental: {
    label: "Dental practice",
    name: "Nora",
    goal: "Remind the contact that a check-up is due and find a day and time for it. Give no medical advice; who is in pain is asked to call the practice.",
    question: "Your check-up is due. Shall we find a time for it?",
    fields: [
      text("appointment", "Day and time"),
      yesNo("new_patient", "Comes for the first time"),
      text("insurance", "Dental insurance"),
    ],
  },
  automotive: {
    label: "Car dealer",
    name: "Jack",
    goal: "Find out which car the contact is looking for, whether they trade one in, and when they want to take a test drive. Never name a final price.",
    question: "Are you still looking for a car?",
    fields: [
      text("vehicle", "Which car"),
      yesNo("trade_in", "Trades one in"),
      text("test_drive", "Day and time of a test drive"),
    ],
  },
  fitness: {
    label: "Fitness club",
    name: "Zoe",
    goal: "Invite the contact to a free trial, find out what they want to achieve and when they come. Give no medical advice.",
    question: "Would you like a free trial training?",
    fields: [text("goal", "What they want to achieve"), text("trial", "Day and time of the trial")],
  },
  education: {
    label: "Education",
    name: "Ruth",
    goal: "Find out which course interests the contact, when they want to start, and whether an adviser may call. Never promise admission.",
    question: "You asked about our courses. Which one interests you?",
    fields: [
      text("course", "Which course"),
      text("start", "When they want to start"),
      yesNo("adviser", "An adviser may call"),
    ],
  },
  recruiting: {
    label: "Recruiting",
    name: "Eli",
    goal: "Find out whether the contact looks for work, since when they can start, and when they can talk to a recruiter. Never promise a job or a wage.",
    question: "Are you open to a new job?",
    fields: [
      yesNo("open_to_work", "Looks for work"),
      text("available_from", "Earliest start"),
      text("interview", "When a recruiter may call"),
    ],
  },
};

/** The fields of a new agent that a template fills in; all of them can be changed then. */
export function templateOf(trade: Trade, type: "sms" | "voice", organization: string) {
  const { name, goal, question, fields } = trade;
  const greeting = type === "sms" ? "Hi {{first_name|there}}, this is" : "Hello, this is";
  return {
    agent_name: name,
    prompt: `You are ${name} of ${organization}. ${goal} Be friendly and brief, and ask one question at a time.`,
    starting_message: `${greeting} ${name} of ${organization}. ${question}`,
    extraction_fields: [...fields],
  };
}
