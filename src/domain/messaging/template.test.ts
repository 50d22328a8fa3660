import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileTemplate, renderTemplate, requiredVariables, templateProblem, templateVariables } from "./template.ts";

test("fields are filled in, with or without spaces inside the braces", () => {
  const result = renderTemplate("Hi {{first_name}} of {{ company_name }}, {{fico_score}}!", {
    first_name: "Ana",
    company_name: "Acme",
    fico_score: 700,
  });
  assert.deepEqual(result, { text: "Hi Ana of Acme, 700!" });
});

test("an absent, blank or structured field is missing and named", () => {
  for (const value of [undefined, null, "", "  ", "\u200b", {}, [], Number.NaN]) {
    assert.deepEqual(renderTemplate("Hi {{first_name}}", { first_name: value }), {
      problem: "missing_variable",
      name: "first_name",
    });
  }
});

test("nothing is read from the prototype", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    assert.deepEqual(renderTemplate(`{{${name}}}`, {}), { problem: "missing_variable", name });
  }
  assert.deepEqual(renderTemplate("{{__proto__}}", JSON.parse('{"__proto__": "x"}')), { text: "x" });
});

test("a value that holds a variable is not expanded and sends no braces", () => {
  const result = renderTemplate("Hi {{first_name}}", { first_name: "{{phone_number}}", phone_number: "+15550100" });
  assert.deepEqual(result, { text: "Hi ((phone_number))" });
});

test("a value stays on one line and loses what cannot be seen", () => {
  assert.deepEqual(renderTemplate("Hi {{name}}!", { name: " Ana\r\nMaria\u0000\u202e " }), { text: "Hi Ana Maria!" });
});

test("HTML in a name is text like any other", () => {
  assert.deepEqual(renderTemplate("Hi {{n}}", { n: "<script>alert(1)</script>" }), {
    text: "Hi <script>alert(1)</script>",
  });
});

test("a text that renders to nothing is empty", () => {
  assert.deepEqual(renderTemplate("  \n ", {}), { problem: "empty" });
  assert.deepEqual(renderTemplate("", {}), { problem: "empty" });
});

test("single braces are text", () => {
  assert.equal(templateProblem("use {this} } or {"), undefined);
  assert.deepEqual(renderTemplate("a {b} {{c}}", { c: 1 }), { text: "a {b} 1" });
});

test("every malformed template is refused with a reason and renders for nobody", () => {
  for (const template of [
    "Hi {{first_name",
    "Hi first_name}}",
    "{{a {{b}} }}",
    "{{{a}}}",
    "{{}}",
    "{{ }}",
    "{{a\nb}}",
    `{{${"a".repeat(101)}}}`,
    "{{a}} and {{",
  ]) {
    assert.match(templateProblem(template) ?? "", /is not a valid template/, template);
    assert.equal(renderTemplate(template, { a: "1", b: "2", first_name: "Ana" }).problem, "missing_variable", template);
  }
});

test("a fallback stands in for a field that is missing, blank or not one that can be said", () => {
  for (const city of [undefined, null, "", "  ", "\u200b", Number.NaN, {}, []]) {
    assert.deepEqual(renderTemplate("Homes in {{city|your area}}!", { city }), { text: "Homes in your area!" });
  }
  assert.deepEqual(renderTemplate("Homes in {{city|your area}}!", { city: "Reno" }), { text: "Homes in Reno!" });
  assert.deepEqual(renderTemplate("{{toString|x}}", {}), { text: "x" });
});

test("spaces around a fallback are trimmed, and an empty one renders nothing", () => {
  assert.deepEqual(renderTemplate("Hi {{ first_name |  dear friend  }}.", {}), { text: "Hi dear friend." });
  assert.deepEqual(renderTemplate("Hi{{first_name|}}.", {}), { text: "Hi." });
  assert.deepEqual(renderTemplate("Hi{{first_name| }}.", {}), { text: "Hi." });
  assert.deepEqual(renderTemplate("{{first_name|}}", {}), { problem: "empty" });
});

test("a fallback is one line of at most 100 characters without braces or a second bar", () => {
  const longest = "a".repeat(100);
  assert.deepEqual(renderTemplate(`{{x| ${longest} }}`, {}), { text: longest });
  const refused = ["a".repeat(101), "a|b", "|", "a\nb", "a\rb"];
  for (const fallback of refused) {
    const template = `{{x|${fallback}}}`;
    assert.match(templateProblem(template) ?? "", /is not a valid template: the fallback in/, template);
    assert.equal(renderTemplate(template, { x: "1" }).problem, "missing_variable", template);
  }
  for (const template of ["{{x|{y}}}", "{{x|}y}}", "{{x|{{y}}}}", "{{x|a}b}}", "{{x|a{b}}"]) {
    assert.match(templateProblem(template) ?? "", /braces inside braces/, template);
  }
  for (const template of ["{{|}}", "{{ |friend}}", `{{${"a".repeat(101)}|friend}}`]) {
    assert.match(templateProblem(template) ?? "", /is not a field name/, template);
  }
});

test("a field is required when it stands anywhere without a fallback", () => {
  assert.deepEqual(requiredVariables("{{a|x}} {{b}} {{c|}} {{a}} {{b|y}}"), ["b", "a"]);
  assert.deepEqual(templateVariables("{{a|x}} {{b}} {{c|}} {{a}} {{b|y}}"), ["a", "b", "c"]);
});

test("variables are listed once, in order", () => {
  assert.deepEqual(templateVariables("{{b}} {{a}} {{ b }} {c} {{loan type}}"), ["b", "a", "loan type"]);
});

test("no template and no value ever lets double braces out", () => {
  const piece = fc.constantFrom("{", "}", "{{", "}}", "a", " ", "{{a}}", "{{b}}", "|", "{{c|", "{{c|}}");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 6 }), (template, value) => {
      const result = compileTemplate(template.join(""))({ a: value.join(""), b: "x" });
      if (result.problem === undefined) assert.doesNotMatch(result.text, /\{\{|\}\}/);
    }),
    { numRuns: 2_000 },
  );
});
