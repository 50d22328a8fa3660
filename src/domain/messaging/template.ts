import { stripInvisible } from "#domain/values/invisible.ts";

/** What became of a template. A lead whose text has a problem is suppressed with that reason, never texted. */
export type Rendered =
  | { text: string; problem?: undefined }
  | { problem: "missing_variable"; name: string }
  | { problem: "empty" };

/** Turns one contact's fields into its text. */
export type Renderer = (fields: Readonly<Record<string, unknown>>) => Rendered;

/** As long as the name of a contact field may be (contacts/lead.ts). Spaces and dashes may be in it. */
const MAX_NAME_LENGTH = 100;

/** A few words in the place of a field; more would be a text of its own. */
const MAX_FALLBACK_LENGTH = 100;

/** A variable without a fallback has to be among the contact's fields. */
type Variable = { variable: string; fallback: string | undefined };
type Part = { literal: string } | Variable | { malformed: string };

/** Splits at `{{` and `}}`. Linear in the template's length, whatever it holds. */
function parse(template: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf("{{", at);
    const literal = template.slice(at, open < 0 ? undefined : open);
    if (literal.includes("}}")) parts.push({ malformed: "}} without {{ before it" });
    else if (literal !== "") parts.push({ literal });
    if (open < 0) break;
    const close = template.indexOf("}}", open + 2);
    if (close < 0) {
      parts.push({ malformed: `{{ is never closed: "${excerpt(template.slice(open))}"` });
      break;
    }
    const inside = template.slice(open + 2, close);
    if (/[{}]/.test(inside) || template[close + 2] === "}") {
      parts.push({ malformed: `braces inside braces: "${excerpt(template.slice(open, close + 2))}"` });
    } else parts.push(variableIn(inside));
    at = close + 2;
  }
  return parts;
}

/** `name` or `name|fallback`, from between the braces. */
function variableIn(inside: string): Part {
  const bar = inside.indexOf("|");
  const name = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const whole = excerpt(`{{${inside}}}`);
  if (name === "" || name.length > MAX_NAME_LENGTH || /[\n\r]/.test(name)) {
    return { malformed: `"${whole}" is not a field name` };
  }
  const fallback = bar < 0 ? undefined : inside.slice(bar + 1).trim();
  if (fallback !== undefined && (fallback.length > MAX_FALLBACK_LENGTH || /[|\n\r]/.test(fallback))) {
    return {
      malformed: `the fallback in "${whole}" is not one line of at most ${MAX_FALLBACK_LENGTH} characters without |`,
    };
  }
  return { variable: name, fallback };
}

const excerpt = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}...` : text);

/**
 * A field's value as it may stand in a text: one line, nothing invisible, and no braces, which become
 * parentheses, so that a value that says `{{x}}` is neither expanded nor sent as braces. Undefined when there is nothing to say.
 */
function spoken(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "string") return undefined;
  let text = stripInvisible(value);
  if (text.includes("\n")) text = oneLine(text);
  if (text.includes("{") || text.includes("}")) text = text.replaceAll("{", "(").replaceAll("}", ")");
  text = text.trim();
  return text === "" ? undefined : text;
}

function oneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

/**
 * Reads a template once; the function it gives back renders it for any number of contacts.
 *
 * `{{ name }}` stands for the contact's own field of that name: a string, a finite number or a boolean. A field
 * that is absent, blank, inherited or anything else is missing, unless there is a fallback: `{{ name | friend }}`, which
 * may be empty. Values are never expanded again. A malformed template (templateProblem says so at create) renders for nobody.
 */
export function compileTemplate(template: string): Renderer {
  const parts = parse(stripInvisible(template));
  const malformed = parts.find((part) => "malformed" in part);
  if (malformed) return () => ({ problem: "missing_variable", name: malformed.malformed });

  return (fields) => {
    let text = "";
    for (const part of parts) {
      if ("literal" in part) {
        text += part.literal;
        continue;
      }
      const { variable: name, fallback } = part as Variable;
      const value = (Object.hasOwn(fields, name) ? spoken(fields[name]) : undefined) ?? fallback;
      if (value === undefined) return { problem: "missing_variable", name };
      text += value;
    }
    return text.trim() === "" ? { problem: "empty" } : { text };
  };
}

/** compileTemplate for a single contact. */
export function renderTemplate(template: string, fields: Readonly<Record<string, unknown>>): Rendered {
  return compileTemplate(template)(fields);
}

const variablesIn = (template: string): Variable[] => parse(template).filter((part) => "variable" in part);

/** The fields a template asks for, each once, in order. */
export function templateVariables(template: string): string[] {
  return [...new Set(variablesIn(template).map(({ variable }) => variable))];
}

/** Those without which it renders for nobody: they stand somewhere without a fallback. */
export function requiredVariables(template: string): string[] {
  const required = variablesIn(template).filter(({ fallback }) => fallback === undefined);
  return [...new Set(required.map(({ variable }) => variable))];
}

/** What is wrong with a template, to follow its field's name in a 400, or undefined. */
export function templateProblem(template: string): string | undefined {
  for (const part of parse(template)) {
    if ("malformed" in part) return `is not a valid template: ${part.malformed}`;
  }
  return undefined;
}
