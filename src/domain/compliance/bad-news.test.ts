import assert from "node:assert/strict";
import { test } from "node:test";
import { foldText } from "#domain/values/fold.ts";
import { isBadNews } from "./bad-news.ts";

test("death, illness and loss are bad news, and what only sounds like it is none", () => {
  for (const text of [
    "My husband passed away last week, I can't think about this now",
    "we had to put her down in October",
    "he's in the hospital",
    "I lost my job in September",
    "mi padre falleció",
    "The owner of this phone has died",
    "Whoever had this phone passed away",
    "My neighbor with the truck died",
    "I have been so sick",
    "My husband and the car died",
    "my brother Robert has died",
    "my mom and my phone both just died",
    "our kid got hurt at school",
    "it's my late husband's actually he passed in august",
    "she passed two months ago",
  ]) {
    assert.ok(isBadNews(foldText(text)), text);
  }
  for (const text of [
    "my car died",
    "my son is late again",
    "my phone and laptop died",
    "so my old van finally died",
    "the old furnace is dying",
    "I am dead serious",
    "he passed in his paperwork",
    "she passed last year's inspection",
    "put her down for Monday",
    "so sick of your texts, stop",
    "really sick and tired of this",
  ]) {
    assert.ok(!isBadNews(foldText(text)), text);
  }
});
