// Who is in the story: names as lists have them, on real area codes.

export type Person = Record<string, string>;

/** Real area codes of every zone there is, with a city that lies there. */
const PLACES: readonly (readonly [areaCode: string, city: string, state: string])[] = [
  ["602", "Phoenix", "AZ"],
  ["480", "Scottsdale", "AZ"],
  ["623", "Glendale", "AZ"],
  ["520", "Tucson", "AZ"],
  ["212", "New York", "NY"],
  ["305", "Miami", "FL"],
  ["312", "Chicago", "IL"],
  ["404", "Atlanta", "GA"],
  ["512", "Austin", "TX"],
  ["303", "Denver", "CO"],
  ["206", "Seattle", "WA"],
  ["415", "San Francisco", "CA"],
  ["702", "Las Vegas", "NV"],
  ["704", "Charlotte", "NC"],
  ["317", "Indianapolis", "IN"],
  ["615", "Nashville", "TN"],
  ["216", "Cleveland", "OH"],
  ["612", "Minneapolis", "MN"],
  ["816", "Kansas City", "MO"],
  ["505", "Albuquerque", "NM"],
  ["208", "Boise", "ID"],
  ["801", "Salt Lake City", "UT"],
  ["503", "Portland", "OR"],
  ["619", "San Diego", "CA"],
  ["214", "Dallas", "TX"],
  ["713", "Houston", "TX"],
  ["617", "Boston", "MA"],
  ["919", "Raleigh", "NC"],
  ["808", "Honolulu", "HI"],
  ["787", "San Juan", "PR"],
];

const FIRST =
  "Ada Benjamin Chloé Dmitri Evelyn Farah George Hana Iván Jo Kimberly Louise Marcus Nadia Oscar Priscilla Quentin Rosa Samuel Tara Ulrich Vivian Walter Xiomara Yusuf Zoë Andre Bianca Calvin Denise Eduardo Fatima Gavin Harriet Ivy Jerome Keisha Leonard Mei Naomi Omar Patricia Raúl Sheila Trevor Uma Victor Wanda".split(
    " ",
  );
const LAST =
  "Lindqvist O'Neill-Garza Lefèvre Petrov Washington al-Sayed van_der_Berg Tanaka Núñez_Ortiz D’Angelo Park Whitaker St._John Nguyen Müller Okafor de_la_Cruz Kowalski Haddad Brooks Feldman Castellanos McBride Yamamoto Abernathy Singh Rossi Delgado Thornton Ivanova Chen Mbeki Larsen Holloway Reyes Fitzgerald Bauer".split(
    " ",
  );

/** As some lists have them: shouted, squeezed, with titles and suffixes, two in one, or not at all. */
const MESSY: readonly ((first: string, last: string) => readonly [string, string])[] = [
  (first, last) => [first.toUpperCase(), last.toUpperCase()],
  (first, last) => [`  ${first.toLowerCase()} `, last],
  (first, last) => [`Dr. ${first}`, `${last}, DDS`],
  (first, last) => [first, `${last} III`],
  (first, last) => [`${first} & Pat`, last],
  (_first, last) => ["", last],
  (first) => [first, ""],
  (first, last) => [`${first} Ann`, last.toLowerCase()],
];

/** The n-th person, with a phone that ends in these digits. */
export function person(n: number, digits: string): Person {
  const [areaCode, city, state] = PLACES[n % PLACES.length]!;
  const clean = [FIRST[(n * 7) % FIRST.length]!, LAST[(n * 11) % LAST.length]!.replaceAll("_", " ")] as const;
  const [first_name, last_name] = n % 6 === 4 ? MESSY[Math.floor(n / 6) % MESSY.length]!(...clean) : clean;
  return {
    phone_number: n % 5 === 2 ? `(${areaCode}) 555-01${digits}` : `+1${areaCode}55501${digits}`,
    ...(first_name === "" ? {} : { first_name }),
    ...(last_name === "" ? {} : { last_name }),
    city,
    state,
    ...(n % 3 === 0 ? { email: `${plain(clean[0])}.${plain(clean[1])}@example.com` } : {}),
    ...(n % 4 === 0 ? { consent_basis: "express_written", consent_source: "web form" } : {}),
    lead_source: ["web form", "open house", "referral", "imported"][n % 4]!,
  };
}

const plain = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/[^A-Za-z]/g, "")
    .toLowerCase();

/** `digits` of place p's k-th phone are at p + 7k in this list, so that each place has the same mixture and no number comes twice. */
export function crowd(count: number, from: number, digits: readonly string[]): Person[] {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    return person(n, digits[((n % PLACES.length) * 3 + Math.floor(n / PLACES.length)) % digits.length]!);
  });
}

export const phoneOf = ({ phone_number }: Person): string => `+1${phone_number!.replaceAll(/\D/g, "").slice(-10)}`;
