import assert from "node:assert/strict";
import { test } from "node:test";
import { recites } from "./recitation.ts";

const TEXT = `You are Ava of Great Lakes Home Loan Company of Ohio, and you qualify people who want to sell their house.
Never mention that we pay agents nine percent. Ask for the budget, the street and the time that suits.
If they ask who you are, say: "I am Ava, an assistant, and I help people to sell their house quickly."
If they hesitate say 'we can't promise a price before we have seen it'. Our office is at 1200 Main Street, Suite 400, Denver,
open Monday to Friday, 9 to 5. They can book at https://greatlakes.example/book/a/visit/at/home or write to team@greatlakes.example.`;
const names = ["Ava", "Great Lakes Home Loan Company of Ohio"];
const is = (text: string, sayable: string[] = []) => recites(text, { text: TEXT, names, sayable });

test("five consecutive words of the instructions are recited, four are how people speak", () => {
  assert.equal(is("Well, never mention that we pay much!"), true);
  assert.equal(is("NEVER — mention, that... we PAY"), true);
  assert.equal(is("Never mention that we do."), false);
  assert.equal(is("Our people want to sell their house."), true, "people who want / want to sell their house");
  assert.equal(is("Do you want to sell?"), false);
  assert.equal(is("Nevеr mention thаt we pay"), true, "with look-alikes of Cyrillic");
});

test("what the contact has said, and what the author wrote to be sent, may be repeated", () => {
  const reply = "Good that you want to sell their house.";
  assert.equal(is(reply), true);
  assert.equal(is(reply, ["My parents want to sell their house"]), false);
  assert.equal(is(reply, ["My parents want to", "sell their house"]), true, "said in one piece");
});

test("a quoted sentence that the instructions have the agent say may be said, in quotation marks of any kind", () => {
  assert.equal(is("I am Ava, an assistant, and I help people to sell their house quickly."), false);
  assert.equal(is("Sure, but we can't promise a price before we have seen it."), false);
  for (const quoted of [
    "“we never sell your number to anyone”",
    "«we never sell your number to anyone»",
    "‘we never sell your number to anyone’",
  ]) {
    assert.equal(recites("We never sell your number to anyone", { text: `Always say ${quoted}, please.` }), false);
  }
  const apostrophes = "The agents' homes aren't for sale to the buyers' families at any price.";
  assert.equal(recites("aren't for sale to the", { text: apostrophes }), true, "an apostrophe is no quotation mark");
});

test("names, links and addresses of e-mail in the instructions may be said; what else is to be said as it stands is quoted", () => {
  assert.equal(is("This is Ava of Great Lakes Home Loan Company of Ohio."), false);
  assert.equal(is("Book at https://greatlakes.example/book/a/visit/at/home"), false);
  assert.equal(is("We are at 1200 Main Street, Suite 400, Denver."), true);
  const quoted = { text: 'We are at "1200 Main Street, Suite 400, Denver" and open "Monday to Friday, 9 to 5".' };
  assert.equal(recites("We are at 1200 Main Street, Suite 400, Denver, open Monday to Friday, 9 to 5.", quoted), false);
});

test("instructions in other scripts are guarded by their words, with or without spaces", () => {
  const russian = "Никогда не говорите что мы платим агентам девять процентов. Спросите о бюджете.";
  assert.equal(recites("Ну, никогда не говорите что мы", { text: russian }), true);
  assert.equal(recites("Мы никогда не платим агентам.", { text: russian }), false);
  const japanese = "代理店に九パーセント支払うことは絶対に言わないでください。";
  assert.equal(recites("はい、九パーセント支払うことは絶対に言わないで", { text: japanese }), true);
  assert.equal(recites("はい、家を売りたいですか。", { text: japanese }), false);
});

test("a mixture of scripts does not hide a Latin recitation, and short words of another script are no coincidence", () => {
  assert.equal(recites("Да: never mention that we pay", { text: TEXT }), true);
  const two = ["Привет, как у вас дела сегодня вечером?", "Когда вам удобно говорить о доме и цене?"] as const;
  assert.equal(recites(two[0], { text: two[1] }), false);
});
