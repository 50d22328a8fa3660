import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { optOutIntent, wishOf } from "./opt-out.ts";

const WISHES = String.raw`
stop please
Please stop
ok stop
just stop it
STOP NOW
stop texting me
Please stop texting me
pls stop txting me!!
can you stop messaging me
Would you stop contacting me please
i need you to stop calling me
stop with the texts
stop the spam
STOP SENDING ME MESSAGES
stop sending me these
stop sending these texts to my phone
Stop, I already bought a house
no thanks, stop
Hi Sam. Not interested. Stop.
stop i never signed up for this
Stop or I'll report you
if you dont stop texting me i will call my lawyer
why won't you stop texting me
don't text me
Do not contact me again
don't ever message me again
please do not text this number
Please don't text
never call me again
dont send me anything
do not send any more messages
I don't want to receive these texts
I no longer wish to receive messages
i dont want to be contacted
do not want any more texts
I don't want to hear from you
I revoke my consent
I'm withdrawing permission
take me off your list
Take me off ur list pls
Please remove me from your mailing list
remove me
Remove my number
take me off
get me off this list
delete my number from your system
lose my number
no more
no more texts
No more messages please
no texts please
unsubscribe me
how do I unsubscribe
Unsub
UNSUBCRIBE
I want to opt out
opt me out
opted out already
leave me alone
go away
fuck off
wrong number
You have the wrong person
cease and desist
this is harassment
I'm on the do not call list
I will report you to the FTC
this is spam
please cancel
remove me please
cancel texts
end these messages
no mas
No más
no más mensajes
ya no me manden mensajes
No me escriban más
no me llame
deje de enviarme mensajes
deja de escribirme
déjame en paz
déjenme en paz
quíteme de su lista
sáquenme de la lista
quiero darme de baja
dame de baja
no quiero recibir mensajes
número equivocado
para ya por favor
alto por favor
arrêtez de m'envoyer des messages
arrête de m'écrire
ne me contactez plus
ne m'envoyez plus de messages
plus de messages
désabonnez-moi
laissez-moi tranquille
retirez-moi de votre liste
STОP tехting mе
Stop texting me\n\n> Hi Ana, this is Sam
`;

const OTHER = String.raw`
stop sending me duplicate charges
Stop charging my card twice
Can you stop the payment on my account
please stop my subscription payment on Friday
I have a question about the STOP bill
a bill called STOP
the bus stop on Main
I'll stop by at 5
non stop flights only
Don't stop texting me, I like it
did you stop texting me?
I can't stop thinking about that house
full stop. When can we meet
why don't you text me later
don't text me before 9am
please don't call me until Monday
Don't call, just text
do not call me, text me instead
do not hesitate to call me
I don't want to get a loan right now
not interested
no thanks
no
nope
I don't want it
no more than 300k
no mas de 500
No me interesa
no me llame antes de las 9
take me off hold
remove me from the meeting invite please
remove the second bathroom from the search
cancel my appointment on Tuesday
I need to cancel tomorrow's tour
can I cancel?
the end of the month works
at the end
weekend
call me tomorrow
don't unsubscribe me!
please do not opt me out
I didn't opt out
Is this spam?
what does "reply STOP to opt out" mean
Sounds good\n> Reply STOP to opt out
Loved “Reply STOP to unsubscribe”
yes
ok thanks
what's the price?
My budget is 300k and I'm looking to move by the end of May
I'm going away for the weekend
I got no texts from you yesterday
I left the message with no reply
I quit smoking
quit my job last year
we never received the contract
I take calls after 5
I don't have an email
how do I get to the office, do I take exit 5
le plus tôt possible
je ne sais pas
plus tard svp
I never got your message
call me when you get off work
the wrong time zone, I'm in Denver
No worries, I'll report back on Friday
`;

const lines = (block: string) =>
  block
    .trim()
    .split("\n")
    .map((line) => line.replaceAll("\\n", "\n"));

test("a wish to be left alone is understood, in three languages", () => {
  const missed = lines(WISHES).filter((text) => optOutIntent(text) === undefined);
  assert.deepEqual(missed, []);
});

test("complaints, answers, questions and preferences are not opt-outs", () => {
  const wrong = lines(OTHER).filter((text) => optOutIntent(text) !== undefined);
  assert.deepEqual(wrong, []);
});

test("what a rule or the trained reading alone takes for a wish is in doubt", () => {
  // By a rule alone, and by the reading alone.
  assert.equal(wishOf("I never signed up for texts").wish, "unclear");
  assert.equal(wishOf("would you be so good as to leave my poor number out of your mailings").wish, "unclear");
  assert.equal(wishOf("please do not take me off your list").wish, "none");
});

test("a plain answer is no doubt, whatever words of a wish are in it, and a wish beside one is", () => {
  for (const text of [
    "sure, you can use my cell number",
    "a private room please",
    "my daughter took a pottery class once",
    "sadly, no",
    "we don't have one, it's a new house",
    "hoping to get away for the weekend",
    "it's Stefan with an f",
  ])
    assert.equal(wishOf(text).wish, "none", text);
  for (const text of ["you can take my number off your list", "private, stop texting me", "no. leave me alone"])
    assert.notEqual(wishOf(text).wish, "none", text);
});

test("the quote is the contact's own sentence", () => {
  assert.deepEqual(optOutIntent("Hello Sam. Please STOP texting me! Bye"), { quote: "Please STOP texting me" });
  assert.deepEqual(optOutIntent("STOP"), { quote: "STOP" });
  assert.deepEqual(optOutIntent("No thanks, stop"), { quote: "stop" });
});

test("a megabyte of text, or one made to slow a pattern down, is judged at once", () => {
  const texts = [
    "a ".repeat(500_000),
    "stop sending ".repeat(50_000),
    "do not want any all these those ".repeat(20_000),
    "please no more with the any all ".repeat(20_000),
    `${"dont ".repeat(100_000)}text`,
    "i want to ".repeat(100_000),
  ];
  const ms = processorMs(() => texts.forEach((text) => void optOutIntent(text)));
  // A pattern that tries every place anew takes minutes.
  assert.ok(ms < 10_000, `${ms} ms`);
});
