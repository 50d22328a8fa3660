import type { FieldKind } from "#domain/agents/field-kind.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";

/** Yes and no in Spanish have to name their matter; these are the common ones. */
const MATTERS: readonly (readonly [words: readonly RegExp[], question: string])[] = [
  [[/\bbuy\b/, /\bsell\b/], "¿Quiere comprar o vender?"],
  [[/\bsell/], "¿Quiere vender su casa?"],
  [[/\bown/], "¿Es usted dueño de su casa?"],
  [[/\bappointment/], "¿Quiere una cita?"],
  [[/\binsurer\b/], "¿Con qué compañía está ahora?"],
  [[/\bclaim/], "¿Ya presentó un reclamo al seguro?"],
  [[/\binsur/], "¿Tiene seguro?"],
  [[/\bdamage/], "¿Tiene daños el techo?"],
  [[/\bloan\b/], "¿Para qué es el préstamo?"],
  [[/\bgoal\b/], "¿Cuál es su objetivo?"],
  [[/\bcar\b/, /\b(?:kind|type)\b/], "¿Qué tipo de carro busca?"],
  [[/\bshift\b/], "¿Prefiere turno de día o de noche?"],
  [[/\bride\b/], "¿Necesita que le lleven?"],
  [[/\b(?:attend|attending|come to|coming to|join|make it|rsvp)\b/], "¿Piensa venir?"],
  [[/\brenew/], "¿Quiere renovar?"],
  [[/\b(?:donate|give)\b/], "¿Quiere hacer una donación?"],
  [[/\b(?:pet|pets)\b/], "¿Tiene mascotas?"],
  [[/\bbuy\b/], "¿Quiere comprar?"],
  [[/\brent\b/], "¿Quiere alquilar?"],
  [[/\bmorning/, /\bevening/], "¿Prefiere por la mañana o por la noche?"],
  [[/\bmorning/, /\bafternoon/], "¿Prefiere por la mañana o por la tarde?"],
];

const AGE = /\b(?:age|how old|years? old)\b/;
/** What a number counts: all of these are spoken of. */
const COUNTED: readonly (readonly [words: readonly RegExp[], question: string])[] = [
  [[AGE, /\broof\b/], "¿Cuántos años tiene el techo?"],
  [[AGE, /\b(?:house|home)\b/], "¿Cuántos años tiene la casa?"],
  [[AGE, /\b(?:car|vehicle|truck)\b/], "¿Cuántos años tiene el carro?"],
  [[AGE, /\b(?:child|kid|son|daughter|student)\b/], "¿Cuántos años tiene su hijo o hija?"],
  [[AGE], "¿Cuántos años tiene?"],
  [[/\byears?\b/], "¿Cuántos años son?"],
  [[/\bmonths?\b/], "¿Cuántos meses son?"],
  [[/\b(?:people|persons?|guests?|passengers?|attendees|adults)\b/], "¿Cuántas personas son?"],
  [[/\b(?:children|kids)\b/], "¿Cuántos niños son?"],
  [[/\b(?:bed)?rooms?\b/], "¿Cuántas habitaciones son?"],
  [[/\bmiles?\b|\bmileage\b/], "¿Cuántas millas tiene?"],
  [[/\bhours?\b/], "¿Cuántas horas son?"],
  [[/\b(?:pets|dogs|cats)\b/], "¿Cuántas mascotas tiene?"],
];

const BY_KIND: Partial<Record<FieldKind, readonly [string, string]>> = {
  email: ["¿Cuál es su correo electrónico?", "¿A qué correo le escribimos?"],
  phone: ["¿Cuál es su número de teléfono?", "¿Qué teléfono podemos usar?"],
  name: ["¿Cuál es su nombre?", "¿Con quién hablo?"],
  first_name: ["¿Cuál es su nombre?", "¿Cómo se llama?"],
  last_name: ["¿Cuál es su apellido?", "¿Y su apellido?"],
  zip: ["¿Cuál es su código postal?", "¿Qué código postal es?"],
  place: ["¿En qué ciudad?", "¿Qué ciudad es?"],
  money: ["¿Qué cantidad tiene en mente?", "Más o menos, ¿cuánto sería?"],
  number: ["¿Cuántos son?", "¿Qué número sería?"],
  date: ["¿Qué fecha le conviene?", "¿Para qué día sería?"],
  time: ["¿A qué hora le viene bien?", "¿Qué hora prefiere?"],
  moment: ["¿Qué día y a qué hora le viene bien?", "¿Cuándo le conviene?"],
  call_time: ["¿Qué día y a qué hora le podemos llamar?", "¿Cuándo le llamamos?"],
  period: ["¿Para cuándo sería?", "¿Qué plazo tiene en mente?"],
  interest: ["¿Le interesa?", "¿Le gustaría?"],
};

/** The wordings in Spanish, by what the name and the description speak of. What is not among them is quoted in English: "yes or no?" asks nothing. */
export function questionsInSpanish(kind: FieldKind, about: string, english: string): readonly string[] {
  const quoted = trimEndOf(english, "?");
  const general = BY_KIND[kind] ?? [
    `¿Me puede responder a la pregunta "${quoted}"?`,
    `¿Qué me dice de la pregunta "${quoted}"?`,
  ];
  if (!/^(?:interest|yes_no|text|choice|number)$/.test(kind)) return general;
  const matters = kind === "number" ? COUNTED : MATTERS;
  const matter = matters.find(([words]) => words.every((word) => word.test(about)))?.[1];
  return matter === undefined ? general : [matter, ...general];
}
