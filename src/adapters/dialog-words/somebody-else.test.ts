import assert from "node:assert/strict";
import { test } from "node:test";
import { foldText } from "#domain/values/fold.ts";
import { isSomebodyElse } from "./somebody-else.ts";

const isElse = (text: string, name?: string, isAsked = false): boolean => isSomebodyElse(foldText(text), name, isAsked);

test("who says that the contact is somebody else, or speaks of the contact so, is somebody else", () => {
  const texts = [
    "this isnt flo",
    "No, this is not Flo.",
    "I'm not Flo",
    "not flo",
    "no flo here",
    "Flo doesn't live here anymore",
    "flo sold the house",
    "I'm Flo's daughter",
    "no soy flo",
    "soy el hijo de Flo",
    "im her son",
    "Hi, this is his wife",
    "you're texting her husband",
    "soy su hija",
    "she sold the house last year",
    "he no longer works here",
    "she doesnt live here",
  ];
  for (const text of texts) assert.equal(isElse(text, "Flo"), true, text);
});

test("the contact, who speaks of others, is the contact", () => {
  const texts = [
    "this is flo",
    "yes its flo",
    "not now",
    "im not interested",
    "my son handles that",
    "her son is 12",
    "is this her number",
    "this is not florida",
    "ask my wife, she owns it",
    "it was my mother, she moved in with us",
    "im the owner",
    "he doesnt have any",
    "she moved in with us last year",
    "he no longer uses it",
    "Flo here, not sure yet",
  ];
  for (const text of texts) assert.equal(isElse(text, "Flo"), false, text);
});

test("in answer to a question about somebody else only the contact's name counts", () => {
  assert.equal(isElse("im her daughter", "Flo", true), false);
  assert.equal(isElse("she no longer works here", "Flo", true), false);
  assert.equal(isElse("this isnt flo", "Flo", true), true);
});

test("a name that is a word, or no name at all, makes nobody somebody else", () => {
  assert.equal(isElse("not may, june", "May"), false);
  assert.equal(isElse("this isnt flo"), false);
  assert.equal(isElse("not (a+)+$ at all", "(a+)+$"), false);
  assert.equal(isElse("not a", "a"), false);
});
