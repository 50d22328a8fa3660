import assert from "node:assert/strict";
import { test } from "node:test";
import { wishOf } from "./opt-out.ts";

// A labelled set, written without looking at the rules: what people answer to texts that they did not ask for, complaints
// that have the same words, and the rest of a conversation. The rates are printed; the two that matter are held.

const OPT_OUTS = String.raw`
Stop
STOP!!!!
S T O P
stop please and thank you
Stop texting my phone
Please stop messaging me about my house
could you please stop sending me texts
STOP CONTACTING ME
stop bugging me
stop hitting me up
Stop with these messages already
Stop. Not selling.
I said stop
I asked you to stop
I've asked you people to stop three times
For the last time stop
Sir please stop it
stop!! I'm at work
stop spamming me
Stop sending this crap
Omg stop being so pushy
you need to stop
this has to stop
These texts need to stop now
make it stop
quit texting me
Quit it
please quit messaging
quit wasting my time
Don't message me
do not text me again
Don't contact this number again.
do not contact me ever again or I call the police
Never text me again
please no more texts
no more messages from you
I don't want your messages
I do not want these texts anymore
don't want to hear from you again
I don't wish to be contacted
I no longer want to receive texts from you
I didn't sign up for this
I never gave you permission to text me
who the hell is this, lose my number
how many times do I have to say no
I told you not interested
already told you no
NOT INTERESTED LEAVE ME ALONE
not interested at all, goodbye
sick of these texts
I'm tired of getting these messages
so annoying
Enough
enough already
Unsubscribe please
unsubscribe me from this list
How do I unsubscribe from this?
pls unsub
I'd like to opt out
OPT ME OUT OF THIS
opt-out
take me off this list
Take my number off your list please
Please take me off of your calling list
remove me from your list
Remove my number from your database
remove this number
Can you remove me
kindly delete my number
delete my info please
Please erase my data
get me off your mailing list
scrub my number from your records
wrong number
Wrong person
sorry you have the wrong number
This is the wrong guy
nobody by that name here
no one here named Robert
He passed away last year
She died. This was her number.
My husband just died, please don't
My husband passed away, take him off your list
My husband passed away, remove him from your list
My dad died. please delete this number
My wife passed away, dont text him
My mother is deceased, no need to contact
My wife died. You have the wrong contact
My husband died. This was his phone
The owner of this phone has died
Whoever had this phone passed away
I had a stroke, please don't
Please don't
Robert doesn't live here
this isn't his number anymore, wrong number
you've been blocked
I'm blocking you
Blocked.
reported as spam
I'm reporting you to the FCC
This violates the TCPA
hearing from my lawyer next, you'll be hearing from my attorney
I'm on the national do not call registry
this is harassment
unsolicited text
cease and desist
I revoke consent
I withdraw my consent to be contacted
fuck off
F off
go away
Leave me alone please
piss off
get lost
shut up
screw you
knock it off
cut it out
give it a rest
never again
count me out
cancel
cancel this
please cancel all messages
END
remove
Revoke
🛑
🖕
no thanks, please stop
Hi. I sold the house already. Please take me off your list. Thanks
Thanks but no thanks. Remove me.
I bought already so you can stop texting
My wife asked you to stop texting us
please dont text us
ya'll need to stop texting me fr
stahp... jk, stop
STOPP
Stop plz
plz stop txtn me
ＳＴＯＰ
ЅТОР
𝗦𝗧𝗢𝗣
st0p
"STOP"
stop\n\nSent from my iPhone
Stop texting me\nOn Mon, Nov 3, 2026 at 9:14 AM Ava wrote:\n> Hi, this is Ava
`;

const OPT_OUTS_ELSEWHERE = `
ALTO
parar por favor
no más mensajes
ya no me escriban
No me manden más textos
por favor deje de mandarme mensajes
sáqueme de su lista
quítenme de la lista
no quiero recibir más mensajes
bórrame de tu lista
número equivocado
mi esposo falleció, bórrelo de su lista
mi papá murió. No le escriban
basta
déjame en paz
darme de baja
ARRÊT
arrêtez svp
arrêtez de m'écrire
ne m'écrivez plus
plus de textos svp
retirez-moi de votre liste
désabonnement
mauvais numéro
laissez-moi tranquille
pare de me mandar mensagens
não me mande mais mensagens
não quero mais receber isso
me remova da lista
descadastrar
Bitte keine Nachrichten mehr
abmelden
hören Sie auf
Lassen Sie mich in Ruhe
Schreiben Sie mir nicht mehr schreiben
smettila
non mi scrivere più
cancellatemi dalla lista
stop met sms'en
geen berichten meer
nie pisz do mnie
proszę przestać
tigilan mo na ako
huwag na po kayo mag text
đừng nhắn tin nữa
hủy đăng ký
sispann voye mesaj
退订
请不要再给我发短信
停止發送,取消訂閱
送らないでください
配信停止
그만 보내세요
수신거부
не пишите мне больше
отпишите меня
стоп
توقف
إلغاء الاشتراك
मैसेज बंद करो
תפסיק
`;

const COMPLAINTS = `
stop sending me duplicate charges
Please stop charging my card
You need to stop billing me twice
Can you stop the automatic payments?
I need to stop the foreclosure on my house
stop the payment please
please stop my subscription payment until I'm back
stop sending invoices to my old address, send them here
I want a refund, you charged me twice
cancel my order and refund me
I'd like to cancel my appointment
cancel tomorrow's showing
why was I charged again?
Your driver didn't stop at my house
the packages stopped coming
My service stopped working yesterday
the app won't let me remove a card
remove the second charge please
take the late fee off my bill
I got a bill called STOP
What is the STOP charge on my statement?
end my lease in June
this is the third time I'm asking for a callback
nobody has called me back
you never sent the contract
I've been waiting for two weeks and nothing
The last agent was rude
I'm not happy with the service
you guys messed up my order
the link you sent doesn't work
`;

const NEUTRAL = `
My husband passed away last week, I can't think about this now
my dad died on sunday
My phone died, call me tomorrow
Can't make it. Car died. Call me later
so my old van finally died, what do you have?
Do I have to bring my dog? please don't
it was his number
Yes
yes please
YES!!
sure, tell me more
Hi, who is this?
what company is this?
how did you get my number?
is this a real person?
Are you a bot?
How much is it?
not right now
maybe later
No
no thank you
not interested
I'm good, thanks
I already have an agent
we already sold
call me tomorrow after 5
text me instead of calling
don't call, just text
Don't call me before noon please
can you text me the details
I'm driving, text you later
ok
OK thanks
👍
❤️
lol
Good morning
I can stop by the office at 3
I'll stop in tomorrow
non-stop flights only
the bus stop near Main and 5th
we stopped looking for now
it stopped raining so we can meet
did it stop snowing there?
I can't stop laughing
I quit my job last month
we end our lease in May
End of the month works
at the end of the day I need a bigger house
I want to remove the wall between the rooms
I need to get my ex off the mortgage
take off the second bathroom from the search
my lawyer will look at the contract
I'm looking for an attorney
my budget is no more than 300k
no more than two bedrooms
enough space for five people
I've had enough time to think, let's do it
That's not enough money
my number is 303 555 0188
the wrong time zone, I'm in Denver
Can I unsubscribe later if I want to?
don't unsubscribe me
what happens if I reply STOP?
what does "Reply STOP to opt out" mean
Liked “Reply STOP to opt out”
Loved "Hi, this is Ava. Reply STOP to end"
I block my calendar on Fridays
we're done with the inspection
I'm done at 5pm
I told you my budget is 400k
as I said, mornings work
no problem, go ahead
I don't want to buy right now, maybe in spring
I do not have an email
I never got the brochure
Don't worry about it
never mind, found it
Leave a message with my wife
leave the documents at the door
the house is a total loss
I lost my phone
sounds like spam but ok, what do you offer?
Is this spam?
can you delete the second option and send it again
me puede llamar mañana
¿cuánto cuesta?
no gracias
no me interesa por ahora
sí, por favor
para mi esposa
oui merci
plus tard svp
je ne sais pas encore
nein danke
ja gerne
obrigado
好的,谢谢
多少钱?
はい、お願いします
네 감사합니다
да, интересно
نعم
`;

const lines = (block: string): string[] =>
  block
    .trim()
    .split("\n")
    .map((line) => line.replaceAll("\\n", "\n"));

const judged = (block: string) => lines(block).map((text) => ({ text, wish: wishOf(text).wish }));
const of = (them: ReturnType<typeof judged>, wish: string) =>
  them.filter((sentence) => sentence.wish === wish).map((sentence) => sentence.text);

test("no opt-out of the labelled set is missed, in any language, and no complaint or answer is plainly taken for one", (t) => {
  const sets = {
    "opt-outs": judged(OPT_OUTS),
    "opt-outs in other languages": judged(OPT_OUTS_ELSEWHERE),
    complaints: judged(COMPLAINTS),
    neutral: judged(NEUTRAL),
  };
  for (const [name, them] of Object.entries(sets)) {
    const counts = ["stop", "unclear", "none"].map((wish) => `${wish} ${of(them, wish).length}`).join(", ");
    t.diagnostic(`${name}: ${them.length} texts: ${counts}`);
  }
  const wanted = [...sets["opt-outs"], ...sets["opt-outs in other languages"]];
  const others = [...sets.complaints, ...sets.neutral];
  const rate = (some: number, all: number) => `${some} of ${all} (${((100 * some) / all).toFixed(1)} %)`;
  t.diagnostic(`missed opt-outs: ${rate(of(wanted, "none").length, wanted.length)}`);
  t.diagnostic(`left to a model: ${rate(of(wanted, "unclear").length, wanted.length)} of the opt-outs`);
  t.diagnostic(`false stops without a model: ${rate(others.length - of(others, "none").length, others.length)}`);
  assert.ok(wanted.length + others.length >= 300);
  assert.deepEqual(of(wanted, "none"), [], "missed");
  assert.deepEqual(of(others, "stop"), [], "plainly taken for an opt-out");
  assert.deepEqual(of(others, "unclear"), [], "taken for an opt-out when nobody can be asked");
});

test("what is unclear comes with the words that make it so", () => {
  assert.deepEqual(wishOf("Hello. This has to stop! Bye"), { wish: "unclear", quote: "This has to stop" });
  assert.deepEqual(wishOf("Hello there"), { wish: "none" });
  assert.deepEqual(wishOf(""), { wish: "none" });
});
