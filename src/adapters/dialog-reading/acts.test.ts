import assert from "node:assert/strict";
import { test } from "node:test";
import { type Act, actsIn } from "./acts.ts";

const means = (what: Act, texts: string[], expected = true) => {
  for (const text of texts) assert.equal(actsIn(text).acts.has(what), expected, `${what}: ${text}`);
};

test("yes and no are recognised in their many words", () => {
  means("yes", ["Yes", "yeah sure", "Ok", "👍", "hi yes I am", "Sounds good!", "sí", "please do"]);
  means("yes", ["no", "maybe", "yesterday", "okra"], false);
  means("no", ["No", "nope", "nah", "not really", "👎", "I don't"]);
  means("no", ["yes", "know", "nothing wrong", "not sure"], false);
});

test("turning the matter down is more than a no", () => {
  means("refuse", [
    "not interested",
    "No thanks",
    "I'm not looking anymore",
    "already bought a house",
    "changed my mind",
    "no me interesa",
  ]);
  means("refuse", ["no", "not sure", "I don't want to pay more than 300k", "interest"], false);
  means("interest", ["I'm interested", "yes very interested", "tell me more"]);
  means("interest", ["I'm not interested"], false);
});

test("a wish to be called is distinguished from other uses of the word", () => {
  means("call", [
    "call me",
    "Can you call me tomorrow?",
    "give me a call",
    "let's talk",
    "llámame",
    "over the phone please",
  ]);
  means(
    "call",
    [
      "don't call me",
      "what do you call it",
      "my phone number is 5",
      "call it a day",
      "I missed your call",
      "never call me",
    ],
    false,
  );
});

test("the question who this is, and what this is, is recognised", () => {
  means("who", ["who is this?", "Who's this", "Who is calling, please?", "quién eres"]);
  means("robot", ["are you a bot", "r u real", "is this a real person?", "am i talking to a robot"]);
  means("robot", ["I want to talk to a real person"], false);
  means("source", ["how did you get my number", "who gave you this number"]);
  means("person", ["can I speak to someone", "get me a manager", "I want to talk to a real person"]);
  means("who", ["who would come to the showing", "this is Ana"], false);
});

test("later, thanks, goodbye, questions and refusals", () => {
  means("later", ["busy now", "in a meeting", "maybe later", "not right now"]);
  means("thanks", ["thx!", "Thank you so much", "gracias"]);
  means("goodbye", ["bye", "have a great day", "see ya"]);
  means("question", ["what is the price", "really?", "how much is it"]);
  means("question", ["Yes?", "hello?", "ok, sure?"], false);
  means("declines", ["idk", "I don't know", "not sure yet", "I'd rather not say"]);
  means("declines", ["I know"], false);
});

test("a question is heard in a sentence behind the answer, though it has no mark", () => {
  means("question", ["yes we both do. can i pay w a card", "It's a will, can you write it too", "4. how long is it"]);
  means("question", ["4 people. my dog, who is old", "a rose, with leaves"], false);
});

test("who names a place where others are at work is not busy, and who is there is", () => {
  means("later", ["retirement party at work", "a talk at the store", "it's for lunch at the gym"], false);
  means("later", ["im at work", "at the gym right now", "sorry in a meeting"]);
  means("refuse", ["that's a shame, thanks anyway", "ok nvm then"]);
});
