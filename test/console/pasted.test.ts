import assert from "node:assert/strict";
import { test } from "node:test";

type Pasted = { contacts: Record<string, string>[]; problem?: string };

const address = new URL("../../console/src/parts/contact-table/pasted.ts", import.meta.url).href;
const { readPasted } = (await import(address)) as { readPasted: (text: string) => Pasted };

test("numbers alone are contacts, one a line or side by side", () => {
  const both = [{ phone_number: "+12125550101" }, { phone_number: "(212) 555-0102" }];

  assert.deepEqual(readPasted("+12125550101\n(212) 555-0102\n").contacts, both);
  assert.deepEqual(readPasted("+12125550101, (212) 555-0102").contacts, both);
});

test("names and numbers need no line that names the columns, whichever comes first", () => {
  assert.deepEqual(readPasted("Ada, 212 555 0101\nBo, 212 555 0102").contacts, [
    { first_name: "Ada", phone_number: "212 555 0101" },
    { first_name: "Bo", phone_number: "212 555 0102" },
  ]);
  assert.deepEqual(readPasted("2125550101\tAda\tLovelace").contacts, [
    { phone_number: "2125550101", first_name: "Ada", last_name: "Lovelace" },
  ]);
});

test("whole names are parted, so that texts can greet people, unless the table has first or last names of its own", () => {
  const ann = { first_name: "Anna", last_name: "Lee", phone_number: "(602) 555-0177" };
  assert.deepEqual(readPasted("name,phone\nAnna Lee,(602) 555-0177").contacts, [ann]);
  assert.deepEqual(readPasted("Anna Lee,(602) 555-0177").contacts, [ann]);
  assert.deepEqual(readPasted('Full Name,phone\n"Lee, Anna",(602) 555-0177').contacts, [ann]);
  assert.deepEqual(readPasted("name,first_name,phone\nLee Inc,Anna,(602) 555-0177").contacts, [
    { name: "Lee Inc", first_name: "Anna", phone_number: "(602) 555-0177" },
  ]);
  assert.deepEqual(readPasted("first_name,phone\nMary Ann,(602) 555-0177").contacts, [
    { first_name: "Mary Ann", phone_number: "(602) 555-0177" },
  ]);
});

test("a table's head is read as people write it, and a row without a number is left out", () => {
  assert.deepEqual(readPasted('Mobile;First Name;city\n2125550101;Ada;"York; New"\n;Bo;Rome').contacts, [
    { phone_number: "2125550101", first_name: "Ada", city: "York; New" },
  ]);
});

test("a table in which no column has phone numbers says so", () => {
  assert.match(readPasted("name,city\nAda,Rome").problem ?? "", /phone_number/);
  assert.deepEqual(readPasted("").contacts, []);
});
