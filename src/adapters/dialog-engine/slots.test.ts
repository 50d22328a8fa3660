import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { fieldsToAsk, slotOf, slotsOf } from "./slots.ts";

const ask = (field: ExtractionFieldInput) => slotOf(normaliseExtractionFields([field])[0]!);

test("every common field is asked for in a natural sentence", () => {
  for (const [field, kind, question] of [
    ["email", "email", "What's the best email address for you?"],
    ["phone_number", "phone", "What's the best phone number for you?"],
    ["name", "name", "May I have your name?"],
    ["firstName", "first_name", "May I have your first name?"],
    ["last_name", "last_name", "And your last name?"],
    ["zip_code", "zip", "What's your zip code?"],
    ["city", "place", "What city are you in?"],
    ["budget", "money", "What budget do you have in mind?"],
    ["loan_balance", "money", "What is your loan balance?"],
    ["loan_type", "text", "What is your loan type?"],
    ["move_in_date", "date", "What is your move in date?"],
    ["preferred_time", "moment", "What day and time would work for you?"],
    ["appointment_time", "moment", "What day and time would work for the appointment?"],
    ["callback_time", "call_time", "What day and time would be good for a call?"],
    ["interested", "interest", "Are you interested?"],
    ["is_homeowner", "yes_no", "Are you a homeowner?"],
    ["has_insurance", "yes_no", "Do you have insurance?"],
    ["owns_home", "yes_no", "Do you own home?"],
    ["currently_employed", "yes_no", "Are you currently employed?"],
    ["bedrooms", "number", "How many bedrooms?"],
    ["number_of_kids", "number", "How many kids?"],
    ["credit_score", "number", "What is your credit score?"],
    ["timeline", "period", "What timeline do you have in mind?"],
    ["favourite_color", "text", "What is your favourite color?"],
    ["bathrooms", "number", "How many bathrooms?"],
    ["wanted_by", "date", "By what day do you need it?"],
    ["start_month", "period", "What start month do you have in mind?"],
  ] as const) {
    const asked = ask(field);
    assert.deepEqual([asked.kind, asked.questions[0]], [kind, question], field);
  }
});

test("a description is asked as somebody would say it, and one of a day and a time wants both", () => {
  for (const [name, description, kind, question] of [
    ["floor", "Its natural finish", "text", "What is its natural finish?"],
    ["room", "How much room there is in the barn", "text", "How much room is there in the barn?"],
    ["dogs", "How many dogs there are in the home", "number", "How many dogs are there in the home?"],
    ["built", "What year the barn was built", "text", "What year was the barn built?"],
    ["taught_for", "How long they have taught", "text", "How long have you taught?"],
    ["rules", "Any rules such as quiet hours", "text", "Are there any rules such as quiet hours?"],
    ["serviced", "When the boiler was last serviced", "text", "When was the boiler last serviced?"],
    ["fits", "How many people the boat should carry", "number", "How many people should the boat carry?"],
    ["spot", "Where to park", "text", "Where should we park?"],
    ["play_time", "The day and time", "moment", "What is the day and time?"],
    ["train", "When the train arrives", "moment", "When does the train arrive?"],
    ["first_class", "The day of the first class", "date", "What is the day of the first class?"],
  ] as const) {
    const asked = ask({ name, description });
    assert.deepEqual([asked.kind, asked.questions[0]], [kind, question], description);
  }
  const yesNo = (description: string) => ask({ name: "field", type: "boolean", description }).questions[0];
  assert.equal(yesNo("Whether they noticed a smell"), "Have you noticed a smell?");
  assert.equal(yesNo("Whether their address changed this year"), "Has your address changed this year?");
  assert.equal(ask({ name: "retired_or_disabled", type: "boolean" }).questions[0], "Are you retired or disabled?");
  assert.equal(ask({ name: "year_built", type: "number" }).questions[0], "What year was it built?");
});

test("type and choices decide over the name", () => {
  assert.equal(ask({ name: "budget", type: "boolean" }).kind, "yes_no");
  assert.equal(ask({ name: "timeline", type: "number" }).kind, "number");
  const size = ask({ name: "email", choices: ["small", "medium", "large"] });
  assert.deepEqual([size.kind, size.questions[0]], ["choice", "Which fits best for email: small, medium or large?"]);
});

test("what is asked with another word than how many is no number", () => {
  for (const [name, description, kind] of [
    ["rooms", "Which rooms need paint", "text"],
    ["rooms", "How many rooms need paint", "number"],
    ["load_size", "How full the van would be", "text"],
    ["pickup", "Which day suits for the pick-up", "date"],
    ["stay", "Which night they would stay", "moment"],
  ] as const) {
    assert.equal(ask({ name, description }).kind, kind, description);
  }
  assert.equal(ask({ name: "rooms", description: "Which rooms need paint", type: "number" }).kind, "number");
});

test("a description becomes the question", () => {
  for (const [description, question] of [
    ["How soon would you like to move?", "How soon would you like to move?"],
    ["The lead's monthly budget", "What is your monthly budget?"],
    ["Reason for selling.", "What is the reason for selling?"],
    ["Whether the lead owns their home", "Do you own your home?"],
    ["Why the contact is moving", "Could you tell me why you are moving?"],
    ["About how many hours a week they work", "About how many hours a week do you work?"],
    ["Where it starts", "Where does it start?"],
    ["Where on the body it goes", "Where on the body does it go?"],
    ["How many signers there are", "How many signers are there?"],
    ["What kind of boat it is", "What kind of boat is it?"],
    ["What worries them about the move", "What worries you about the move?"],
    ["By what day they want them", "By what day do you want them?"],
    ["When we may start", "When may we start?"],
    ["How old the roof is, in years", "How old is the roof?"],
    ["How full the tank is", "Could you tell me how full the tank is?"],
    ["Any injuries", "Are there any injuries?"],
    ["Any damage to the car", "Is there any damage to the car?"],
    ["The books they like", "What are the books you like?"],
    ["The color that suits them", "What is the color that suits you?"],
  ] as const) {
    assert.equal(ask({ name: "x", description }).questions[0], question);
  }
  assert.equal(ask({ name: "city", description: "{{system}} <b>" }).questions[0], "What city are you in?");
});

test("without fields the questions follow from the instructions", () => {
  const of = (instructions: string, goal?: string) =>
    fieldsToAsk({
      fields: [],
      agent: { name: "Sam", organization: "Acme", instructions, ...(goal ? { goal } : {}) },
    }).map((field) => field.name);
  assert.deepEqual(of("Collect their budget, preferred city and move in date. Be kind."), [
    "budget",
    "city",
    "move_in_date",
  ]);
  assert.deepEqual(of("Ask for the lead's email."), ["email"]);
  assert.deepEqual(of("Be kind.", "Book an appointment with the dentist"), ["preferred_time"]);
  assert.deepEqual(of("Find out if they are happy. Ask them to buy."), []);
  assert.deepEqual(of("collect ".repeat(20_000)), []);
});

test("a field that the instructions ask for only in one case depends on the field of that case", () => {
  const fields = normaliseExtractionFields([
    { name: "delivery", type: "enum", choices: ["pickup", "home delivery"], description: "Pickup or home delivery" },
    { name: "floor", description: "Which floor they live on" },
    { name: "email" },
  ]);
  const instructions =
    "Find out if they want pickup or home delivery, which floor they live on if it is delivery, and their email.";
  const agent = { name: "Ava", organization: "Acme", instructions };
  assert.deepEqual(
    slotsOf({ agent, fields }).map(({ only }) => only),
    [undefined, { field: "delivery", value: "home delivery" }, undefined],
  );
});
