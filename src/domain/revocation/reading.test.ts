import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { readNetwork, writeNetwork } from "./network.ts";
import { placesOf, wordsOf } from "./pieces.ts";
import { trainedReading } from "./reading.ts";
import { WEIGHTS } from "./weights.ts";

const of = (text: string) => trainedReading(text).likelihood;

test("wishes that no rule names are likely at least, in three languages and as speech-to-text writes them", () => {
  const wishes = [
    "would you be so good as to leave my poor number out of your mailings from now on",
    "guys scratch this phone of mine from wherever you keep it",
    "uh yeah hi could you make it so that nobody from your place calls here again",
    "hagan el favor de olvidarse de este teléfono y no volver a escribir",
    "ya no quiero saber de sus promociones en este celular",
    "soyez gentils et cessez de me relancer à ce numéro",
    "j'aimerais bien que vous oubliiez mon téléphone et que vous n'écriviez plus",
  ];
  assert.deepEqual(
    wishes.filter((text) => of(text) !== "likely"),
    [],
  );
});

test("what has a wish's words and is none is not taken for one", () => {
  const others = [
    "could your driver stop by around noon on Thursday?",
    "my landlord won't stop raising the rent, so yes I'm interested",
    "I quit my old job in May and start the new one next week",
    "please don't remove me, I still want the quote",
    "necesito cancelar la cita del dentista del jueves",
    "mi vecino no deja de hacer ruido, ¿ustedes arreglan ventanas?",
    "je dois annuler le rendez-vous de jeudi, on peut le remettre?",
    "mon chien n'arrête pas de japper quand le livreur passe",
  ];
  assert.deepEqual(
    others.filter((text) => of(text) === "likely"),
    [],
  );
});

test("a wish in the middle of other talk is found, and its sentence is given", () => {
  const text =
    "Hi Sam. We sold the house in spring and moved. Please take our number off that list of yours. Have a good one";
  assert.deepEqual(trainedReading(text), {
    likelihood: "likely",
    part: " Please take our number off that list of yours",
  });
});

test("the work grows with the length of the text, whatever is in it", () => {
  const long = (words: number) => processorMs(() => void trainedReading("stop calling me ".repeat(words / 3)));
  long(300);
  const [short, ten] = [long(300), long(3_000)];
  assert.ok(ten < 40 * short + 50, `${ten} ms for ten times what takes ${short} ms`);
});

test("words are cut the same way whatever stands around them, and numbers are one word", () => {
  assert.deepEqual(wordsOf("call 555 0142", true), ["^", "call", "0", "0", "?", "$"]);
  assert.deepEqual(placesOf("$").length, 1);
  assert.ok(placesOf("unsubscribe").filter((place) => placesOf("unsubcribe").includes(place)).length >= 10);
});

test("what is written of a network reads as the same network", () => {
  const [first] = WEIGHTS;
  assert.deepEqual(writeNetwork(readNetwork(first!)).bytes, first!.bytes);
});
