import { foldText } from "#domain/values/fold.ts";
import { stem } from "./stems.ts";

/**
 * Words by which people ask for the same thing, a line each: the question has one of them and the sentence that answers it another. Only for
 * finding sentences: no value is read by them.
 */
const SAME_THING = `
contract contracts commitment committed commit locked obligation term terms tied leave cancel quit
begin begins start starts enroll enrol register registration signup late join
deadline due cutoff late
warranty warranties guarantee guaranteed covered
certified licensed license accredited qualified certification credentials bonded trained
insured insurance liability coverage covered
park parking parked lot garage
pet pets dog dogs cat cats puppy kitten pitbull lab labrador poodle shepherd retriever terrier chihuahua beagle boxer bulldog dachshund corgi husky pug collie spaniel doodle mastiff rottweiler pup pups tabby
event wedding weddings married marry bride prom gala graduation anniversary reunion quinceanera ceremony party
tv television televisions netflix
id ids identification passport passports
wifi internet
child children kid kids toddler baby teen teens teenager
adult adults grown
food feed meal meals lunch snack snacks eat kibble
card cards cash check checks venmo zelle paypal credit debit pay payment payments
installment installments plan plans monthly finance financing
install installation setup put
fix repair repairs repaired fixing
doctor physician dentist specialist provider
deliver delivery ship shipping
online virtual remote zoom video
discount discounts deal deals promo coupon military veteran
lawyer lawyers attorney attorneys legal
tax taxes irs
weight weigh weighs pound pounds lbs lb heavy
refund refunds refunded money-back back return returns
permit permits permission
shuttle ride rides lift uber transport transportation bus
rebate rebates credit incentive incentives
safe safety dangerous danger
clean cleaning cleaned cleaner
supply supplies bring bringing equipment tools
shot shots vaccine vaccines vaccinated vaccination vaccinations
size big large small
pain hurt hurts painful painless
language spanish english bilingual
wheelchair accessible handicap disabled
weekend weekends saturday saturdays sunday sundays
evening evenings night nights
emergency emergencies urgent
employee employees staff crew worker workers technician technicians
photo photos picture pictures image images
sample samples trial try
deposit down upfront
experience experienced years
age old older young minimum under
reschedule rescheduling change move
walkin walk-in appointment appointments
hire hiring job position
shift shifts schedule
benefits benefit health 401k vacation
uniform uniforms wear dress
dump haul disposal debris trash
`;

const CONCEPTS = new Map<string, string[]>();
for (const line of SAME_THING.trim().split("\n")) {
  const words = line.split(" ");
  for (const word of words) {
    const base = stem(foldText(word));
    const tags = CONCEPTS.get(base) ?? [];
    if (!tags.includes(words[0]!)) CONCEPTS.set(base, [...tags, words[0]!]);
  }
}

/** What makes another word of one: `treatment`, `location`, `payable`, `helper`. */
const DERIVED =
  /(?:ations?|itions?|tions?|ions?|ments?|ness|ances?|ences?|ables?|ibles?|at(?:e|or)?|ers?|ors?|ly|al|ive|it)$/;
const SHORTEST_ROOT = 4;

/** What words of one family have in common: `instal` of "installer", "installation" and "installs". */
function rootOf(base: string): string | undefined {
  const root = base.replace(DERIVED, "").replace(/(.)\1$/, "$1");
  return root.length >= SHORTEST_ROOT ? `~${root}` : undefined;
}

/** What the words of a text are about, beside themselves. */
export function conceptsOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const word of foldText(text).split(" ")) {
    const base = stem(word);
    for (const concept of CONCEPTS.get(base) ?? []) if (!found.has(concept)) found.set(concept, base);
    const root = rootOf(base);
    if (root !== undefined && !found.has(root)) found.set(root, base);
  }
  return found;
}
