import assert from "node:assert/strict";
import { test } from "node:test";
import { answererOf } from "./answerer.ts";

const CASES: Record<NonNullable<ReturnType<typeof answererOf>>, string[]> = {
  human: [
    "Hello?",
    "Hi",
    "Yes",
    "Hello, who is this?",
    "Good morning, this is Bob",
    "This is Ana speaking",
    "Hey, what's up?",
    "Hola",
    "Bueno",
    "Acme Plumbing, how can I help you?",
    "Thank you for calling Acme, this is Jane, how may I direct your call?",
    "He's not here right now, can I take a message?",
    "May I ask who's calling?",
    "Hold on a second",
    "Hello? Hello? Is anyone there?",
    "You have the wrong number",
    "I'm driving, what is this about?",
  ],
  voicemail: [
    "Hi, you've reached Bob. I can't come to the phone right now. Please leave a message after the tone.",
    "Your call has been forwarded to an automatic voice message system",
    "The person you are trying to reach is not available. At the tone, please record your message. When you have finished recording you may hang up or press one for more options.",
    "Hey it's Ana, leave me a message",
    "Hello. No one is available to take your call. Please leave your name and number after the beep",
    "You have reached the voicemail box of",
    "Sorry I missed your call, I'll get back to you as soon as I can",
    "Please leave a brief message and I will return your call as soon as possible",
    "The Google subscriber you have called is not available, please leave a message",
    "Hola, deje su mensaje después del tono",
    "Bonjour, laissez-moi un message après le bip",
    "Hi this is the Smith family, we are away from the phone",
  ],
  full_mailbox: [
    "The mailbox is full and cannot accept any messages at this time. Goodbye.",
    "The person you are calling has a voicemail box that has not been set up yet. Goodbye.",
    "The customer's voice mailbox is currently full",
    "The wireless customer you are calling is not available. Please try again later.",
    "The voice mailbox is not accepting messages",
  ],
  call_screening: [
    "Hi. If you record your name and reason for calling, I'll see if this person is available.",
    "The person you're calling is using a screening service from Google. Go ahead and say your name and why you're calling.",
    "Please state your name after the tone, and Google Voice will try to connect you".replace(" after the tone", ""),
    "This call is being screened. Say your name.",
  ],
  ivr: [
    "Thank you for calling Acme. For sales, press 1. For support, press 2.",
    "Para español, oprima el dos",
    "Please listen carefully as our menu options have changed",
    "If you know your party's extension, you may dial it at any time",
    "All of our representatives are busy. Please hold for the next available agent.",
    "For sales press one, to leave a message press two",
    "The number you have dialed is not in service. Please check the number and dial again.",
    "Your call cannot be completed as dialed",
    "Our office is closed",
  ],
};

for (const [answerer, sayings] of Object.entries(CASES)) {
  test(`${answerer} is known by its words, with and without punctuation and case`, () => {
    for (const said of sayings) {
      assert.equal(answererOf(said), answerer, said);
      assert.equal(answererOf(said.toLowerCase().replace(/[.,?!]/g, "")), answerer, `bare: ${said}`);
    }
  });
}

test("words that could be anyone's are left open", () => {
  for (const said of ["", "...", "um", "the weather is fine today", "twenty five", "Bob Miller Insurance"]) {
    assert.equal(answererOf(said), undefined, said);
  }
});
