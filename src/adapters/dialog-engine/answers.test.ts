import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtractionFieldInput } from "#domain/agents/extraction-field.ts";
import { readField as read } from "#test/support/agents/read-field.ts";

type Case = readonly [text: string, value: string | undefined];

function check(field: Exclude<ExtractionFieldInput, string>, direct: boolean, cases: readonly Case[]): void {
  for (const [text, value] of cases) assert.equal(read(field, text, direct), value, `${field.name}: ${text}`);
}

const number = (name: string, description: string) => ({ name, type: "number", description }) as const;
const yesNo = (name: string, description: string) => ({ name, type: "boolean", description }) as const;

test("a number is for the field that is counted in its unit, and for no other", () => {
  const weight = number("weight", "The cat's weight in pounds");
  check(weight, false, [
    ["she is 9 lbs and shy", "9"],
    ["she is 9 and shy", undefined],
  ]);
  check(weight, true, [
    ["fourteen pounds or so", "14"],
    ["two years", undefined],
    ["Dec 9", undefined],
    ["nine by eleven", undefined],
  ]);
  check(number("lease_months", "For how many months they want the flat"), true, [
    ["a year", "12"],
    ["half a year", "6"],
    ["two years", "24"],
    ["three weeks", undefined],
  ]);
  check(number("hours", "How many hours a week they can work"), true, [
    ["thirty hours", "30"],
    ["three days", undefined],
  ]);
});

test("an age is the one of today, in years", () => {
  const age = number("age", "The child's age in years");
  check(age, true, [
    ["he is seven", "7"],
    ["she'll be nine in june", undefined],
    ["almost eleven", undefined],
    ["30 months", "2.5"],
    ["seven months", undefined],
    ["she is the big one", undefined],
    ["she just turned ate", "8"],
  ]);
  check(age, false, [["Beagle, 6 yrs, brown", "6"]]);
});

test("what somebody reckons up, or has none of, is the count", () => {
  check(number("jobs", "How many jobs they had"), true, [
    ["one in a bakery and three in bars so four", "4"],
    ["never had any", "0"],
    ["just the one", "1"],
  ]);
  check(number("tickets", "The number of tickets in three years"), false, [
    ["clean record, no tickets", "0"],
    ["do you mean no tickets at all?", undefined],
  ]);
  const drivers = number("drivers", "Number of drivers");
  check(drivers, true, [["me my husband and three teenagers", "5"]]);
  check(number("rate", "Their interest rate in percent"), true, [
    ["6.3", "6.3"],
    ["three ten", undefined],
  ]);
});

test("a field about what has been takes the last such day, and any other no day that is over", () => {
  const accident = { name: "crash_date", description: "The date of the crash" } as const;
  check(accident, true, [
    ["last monday", "2026-11-16"],
    ["three days ago", "2026-11-17"],
    ["yesterday around noon", "2026-11-19"],
    ["march 9", "2026-03-09"],
    ["in august on the second", "2026-08-02"],
    ["about five weeks ago", "about five weeks ago"],
  ]);
  const visit = { name: "visit_date", description: "Which day suits them" } as const;
  check(visit, false, [
    ["my brother called you on monday", undefined],
    ["she sleeps four hours a day", undefined],
    ["mon wed fri is when i work", undefined],
  ]);
  check(visit, true, [
    ["a week from tomorrow", "2026-11-28"],
    ["the ninth of next month", "2026-12-09"],
  ]);
});

test("a choice is known by a word that only it has, and by its beginning", () => {
  const seat: ExtractionFieldInput & object = {
    name: "seat",
    type: "enum",
    choices: ["aisle seat", "window seat"],
    description: "Which seat",
  };
  check(seat, true, [
    ["window would be nice", "window seat"],
    ["a seat", undefined],
  ]);
  const car: ExtractionFieldInput & object = {
    name: "kind",
    type: "enum",
    choices: ["automatic", "manual"],
    description: "Which car",
  };
  check(car, true, [
    ["auto", "automatic"],
    ["stick", "manual"],
    ["automatic would be too easy so manual", "manual"],
  ]);
});

test("a trouble that is described is a yes to whether there is one", () => {
  const ill = yesNo("has_problems", "Whether the horse has had any problems");
  check(ill, true, [
    ["she coughs at night", "true"],
    ["he is doing great", "false"],
    ["nothing new", "false"],
    ["what kind of problems?", undefined],
  ]);
  const hurt = yesNo("hurt", "Whether they were hurt");
  check(hurt, true, [
    ["my shoulder and my knee", "true"],
    ["i sprained my ankle", "true"],
    ["no just the bike", "false"],
  ]);
  check(yesNo("has_passport", "Whether they have a passport"), true, [
    ["he got one in the spring", "true"],
    ["i might have one soon", undefined],
  ]);
});

test("a measure or an age is no free words", () => {
  const work = { name: "service", description: "What service they need" } as const;
  check(work, true, [
    ["ninety by forty feet", undefined],
    ["she's four right now", undefined],
    ["sixth grade", undefined],
    ["in the mid fives", undefined],
    ["repaint the fence", "repaint the fence"],
  ]);
});

test("amounts said in pieces are put together, and doubtful ones are none", () => {
  check({ name: "phone_bill", description: "What they pay for the phone a month in dollars" }, true, [
    ["fifty one ninety five", "51.95"],
    ["ninety dollars and twenty cents", "90.20"],
    ["forty", "40"],
  ]);
  check({ name: "budget", description: "Their budget" }, true, [
    ["thirty four five", "34500"],
    ["in the mid 300s", "in the mid 300s"],
    ["well you only take a hundred ten", undefined],
    ["thursday at three forty", undefined],
  ]);
  check({ name: "zip_code", description: "Their zip code" }, true, [
    ["seventy three oh six", undefined],
    ["seven three oh six one", "73061"],
  ]);
});

test("a name is read without what leads to it, and no sentence is one", () => {
  check({ name: "pet_name", description: "What the pet is called" }, true, [
    ["her name's biscuit", "biscuit"],
    ["it's otis o t i s", "otis"],
    ["he is nine now", undefined],
    ["early February", undefined],
    ["sorry she turned two", undefined],
  ]);
});

test("what somebody says before the answer, or asks of themselves, is no value", () => {
  check({ name: "provider", description: "The name of their phone provider" }, true, [
    ["who do we have again it's blue tel", "blue tel"],
    ["let me see it says blue tel", "blue tel"],
    ["who do you work with", undefined],
  ]);
  check({ name: "insurer", description: "The name of their insurer" }, true, [
    ["it used to be geico but now we have farmers", "farmers"],
  ]);
});

test("what is common to say of a time, a year or a place is read", () => {
  check({ name: "start_date", description: "When they want to start" }, true, [
    ["okay the ninth", "2026-12-09"],
    ["as soon as possible", "as soon as possible"],
    ["by new years", "by new years"],
  ]);
  check({ name: "timeline", description: "When they would like to move" }, true, [
    ["when i finish school", "when i finish school"],
    ["a year or so", "a year or so"],
    ["not in any hurry", "not in any hurry"],
    ["evenings", undefined],
  ]);
  const age = number("boiler_age", "Age of the boiler in years");
  check(age, true, [
    ["from 86 i think", "40"],
    ["10-12 years", "10"],
    ["they replaced it last year", "1"],
  ]);
  check({ name: "from_city", description: "The city they move from" }, true, [
    ["right here in pueblo", "pueblo"],
    ["the north side of golden", "golden"],
    ["ft. morgan i think", "ft. morgan"],
  ]);
  check({ name: "car_bill", description: "What they pay a month in dollars" }, true, [
    ["two to three hundred", "200-300"],
    ["seventy one fifty", "71.50"],
  ]);
});

test("an age is read of whoever it is said, and no count of animals is a weight", () => {
  const age = number("guest_age", "The guest's age");
  check(age, false, [
    ["for my niece, she just turned fourteen", "14"],
    ["es para mi hija de 9 años", "9"],
  ]);
  check(number("cat_weight", "The cat's weight in pounds"), false, [["how much for 2 cats", undefined]]);
  check(number("mileage", "The mileage on it"), true, [["a hundred and five thousand", "105000"]]);
  check(number("mileage", "The mileage on it"), false, [
    ["still got it, 91k miles", "91000"],
    ["i live two miles away", undefined],
  ]);
  check(number("weeks_late", "How many weeks late they are"), true, [["we're not late", "0"]]);
});

test("an amount of a period is for the field of that period, what is paid off is nothing, and hours are none", () => {
  const dues = { name: "dues", description: "The yearly dues" };
  check(dues, false, [
    ["they take 1,240/yr", "1240"],
    ["tue 9-11", undefined],
  ]);
  check(dues, true, [["tue 9-11", undefined]]);
  check({ name: "amount_owed", description: "How much they still owe" }, false, [
    ["it's paid off", "0"],
    ["we owe nothing", "0"],
  ]);
});

test("of two choices the one that somebody does not like is not meant", () => {
  const finish = { name: "finish", type: "enum" as const, choices: ["glossy tiles", "matte stone"], description: "" };
  check(finish, false, [["the matte ones, he hates the glossy look", "matte stone"]]);
  check(finish, false, [["both of us are old. matte ones if possible", undefined]]);
});

test("why is what follows a because, whatever was asked", () => {
  check({ name: "reason", description: "Why they move" }, false, [
    ["june bc my job is in austin now", "my job is in austin now"],
    ["no because i said so", undefined],
  ]);
});
