import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { importColumns } from "./import-columns.ts";
import { phonesIn, plainPhonesIn, readRow } from "./import-row.ts";

const columns = importColumns(["Phone", "First Name", "skipped"], '{"Phone":"phone_number","First Name":"first_name"}');

test("a row becomes a lead: trimmed, without its empty cells and what is passed over", () => {
  assert.deepEqual(readRow([" (212) 555-0101 ", " Ann ", "x"], columns), {
    phone: "+12125550101",
    fields: { first_name: "Ann" },
  });
  assert.deepEqual(readRow(["'+12125550101", "'=Ann", ""], columns), {
    phone: "+12125550101",
    fields: { first_name: "=Ann" },
  });
  assert.deepEqual(readRow(["+12125550101", "", ""], columns), { phone: "+12125550101", fields: {} });
});

test("a blank row is nothing, and one that has slipped is not guessed at", () => {
  assert.deepEqual(readRow([""], columns), { blank: true });
  assert.deepEqual(readRow(["", " ", "", ""], columns), { blank: true });
  assert.deepEqual(readRow(["+12125550101", "Ann"], columns), {
    problem: "has 2 cells, the header has 3",
    phone: null,
  });
  assert.deepEqual(readRow(["+12125550101", "Ann", "", "x"], columns), {
    problem: "has 4 cells, the header has 3",
    phone: null,
  });
});

test("of a row that cannot be taken every number is found, in whatever cell it is", () => {
  assert.deepEqual(phonesIn(["Ann", "'+12125550101", " (212) 555-0102 ", "2125550101", "1980", ""]), [
    "+12125550101",
    "+12125550102",
  ]);
  assert.deepEqual(phonesIn([]), []);
});

test("a whole name fills first and last name, where the file has no column for either", () => {
  const named = (header: string[], ...cells: string[]) => {
    const read = readRow(["2125550101", ...cells], importColumns(["phone", ...header], undefined));
    assert.ok("fields" in read);
    return read.fields;
  };
  const anna = { first_name: "Anna", last_name: "van Lee" };
  assert.deepEqual(named(["Full Name"], "Anna van Lee"), { full_name: "Anna van Lee", ...anna });
  assert.deepEqual(named(["name"], "van Lee, Anna"), { name: "van Lee, Anna", ...anna });
  assert.deepEqual(named(["name"], "Cher"), { name: "Cher", first_name: "Cher" });
  assert.deepEqual(named(["name"], ""), {});
  assert.deepEqual(named(["name", "first_name"], "Lee Inc", ""), { name: "Lee Inc" });
});

test("a wrong field is reported with the phone that it belongs to", () => {
  const withBirthday = importColumns(["phone", "birthday"], undefined);
  assert.deepEqual(readRow(["2125550101", "never"], withBirthday), {
    problem: "birthday must be a date, YYYY-MM-DD",
    phone: "+12125550101",
  });
  assert.deepEqual(readRow(["911", ""], withBirthday), {
    problem: "phone_number must not be an emergency or service number",
    phone: null,
  });
});

test("whatever is in its cells, a row is a lead, nothing, or has a reason", () => {
  const cell = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("+12125550101", "\0", "__proto__", "=1"));
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 6 }), (cells) => {
      const read = readRow(cells, columns);
      assert.ok("blank" in read || "problem" in read || /^\+\d+$/.test(read.phone));
      if ("fields" in read) assert.ok(!JSON.stringify(read.fields).includes("\\u0000"));
    }),
  );
});

test("every field of a contact can be mapped, those of its consent too", () => {
  const made = importColumns(["phone", "consent_basis", "unique_id"], undefined);
  const row = readRow(["2125550101", "express", "lead_1"], made);
  assert.deepEqual(row, { phone: "+12125550101", fields: { consent_basis: "express" } });
  assert.ok("problem" in readRow(["2125550101", "hearsay", ""], made));
});

test("a header is never more than a 400", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 20 })),
      fc.option(fc.string(), { nil: undefined }),
      (header, mapping) => {
        try {
          const made = importColumns(header, mapping);
          assert.equal(made.filter(({ field }) => field === "phone_number").length, 1);
        } catch (error) {
          assert.equal((error as { status?: number }).status, 400);
        }
      },
    ),
  );
});

test("numbers of a row that is not read are found by their digits alone", () => {
  const cells = [
    "Ann",
    "'+12125550101",
    " (212) 555-0102 ",
    "1 212.555.0103",
    "+44 20 7946 0958",
    "1980",
    "a 2125550104",
    "1".repeat(16),
  ];
  assert.deepEqual(plainPhonesIn(cells), ["+12125550101", "+12125550102", "+12125550103", "+442079460958"]);
  assert.deepEqual(plainPhonesIn([]), []);
});
