import assert from "node:assert/strict";
import { test } from "node:test";
import { wishOf } from "./opt-out.ts";

// With the words of a wish to be left alone, and none.

const OTHER = `
I never signed up
i never signed up for anything like that
i never asked for any estimate, who gave you my name
ok 4 then, the large one
sure 250, private room
3, private room
dont stop texting me
dont call, text me
stop sending me duplicate charges
i dont want no more kids
please no more than 300k
not until tuesday
call me when you stop by
no more questions from my side, lets do it
we are done with the kitchen
don't call me until Monday
don't call me tomorrow, call me tuesday
dont call me at work
don't call me before noon
don't call back until after 5
do not call back before monday
dont call right now im driving
don't text while I'm at work, call after 5
please don't call today, tomorrow is better
don't call me back today
no more than two bedrooms
no more than 5 miles
no more than 2 calls a week is fine
no more rooms needed
no more questions
no more questions thanks
no more, that's all I need to know
I don't want a call, text me
i dont want a text, call me
I don't want to call you
I don't want more than two rooms
i dont want no house with stairs
I don't need no loan
I dont want this house, show me another
i don't want the one on Main
I don't want these cabinets
I'm done with work at 5
im done with the paperwork
we're done with the inspection, call me
tired of renting
I'm tired of this apartment
I am sick today, call tomorrow
take my number, it's 303 555 0188
take my number down
take me off speaker
take my name off the lease
take my ex off the mortgage
get my name off the deed
get my number from Bob
get me out of this lease
I want out of my lease
I want out of this contract
I want off at 5
my phone keeps blowing up today sorry
sorry my phone is blowing up
can you not call me at work
can you not call before 9
could you call me not text
why do you keep asking about the basement
why are you calling
who is calling
end of the month
the lease needs to end in june
it needs to end by friday
let me be clear, I want the house
let me be honest
let me be sure first
leave my phone number with him
leave me a message
leave me the keys
get off the highway at exit 5
I get off at 5
stay away from the north side
lay off the price talk for a second
my company had a lay off
I was laid off
they laid me off
cut it down to 200k
cut it close
give it up to 300k
turn off the water
turn these off when you leave the house
shut off the gas
sign me up
sign me off on the inspection
keep my number
keep my number please
keep my name on it
don't lose my number
dont delete my number
don't remove me
please don't take me off the list
do not take me off your list
cross my name off the lease
no contact yet with the seller
no contact from the bank yet
I have no contact info
don't bother calling the bank
don't try to call the owner
don't reach out to the seller yet
do not reach out to my ex
dont reach out before friday
don't hit the wall
don't hit me with fees
quit my job
I had to quit
you don't need to quit
the car needs to stop leaking
it needs to stop raining first
please discontinue my service
please discontinue the policy
end this policy
please end this lease
don't use this number after 5
don't use this number for whatsapp, use my other one
don't call me crazy but I like it
don't call me mr smith
text me again tomorrow
call me again and we will talk
call me again and i'll sign
you better call me again
you said no more fees
no more fees please
no more stairs please
no more coffee thank you
no robocalls on my block lol
I got the wrong one
you got the wrong address
the wrong one is on the invoice
ain't no rush
ain't no problem
there ain't no garage
I don't consent to the credit check
I do not consent to a credit pull
I ain't trying to hear about condos
not interested in your first option
not interested in texts about condos but houses ok
we want this
I don't mind calls
I don't mind you texting me
I don't want you to call my wife, call me
I don't want you to worry
I don't want nothing fancy
I don't want nothing over 300k
don't want it
nothing more
that's all, no more
I don't get your texts
I'm not getting your texts
I have no messages from you
did you send texts
please text me
do not hesitate to reach out again
don't hesitate to text
never mind call me again
dont forget to call me again
don't be calling too early
don't be late
send texts
please send messages
can you send updates
please send me the messages
did you send the offers
I recommend calls
not right now
I don't want to text, call me
I don't want to call, text me
I'm done with this paperwork
i said no stairs
I said no more than 300
I said no to the other agent
don't leave yet
don't leave me a voicemail just text
leave me a voicemail
how do I stop the foreclosure
how do I get off the waitlist
how do I get on this list
I want to be on the list
put me on your list
put me down for tuesday
mark me down for friday
add me to the list
block off friday for me
please hold my spot, I can't make it, no contact until monday
no, don't cancel
no don't stop
please don't quit on me
quit claim deed
cease fire
I need you to call me
I need you to send the contract
you need to call me after 5
you better call me tomorrow
could you not send the contract yet
don't send the contract yet
dont send me anything over 300k
do not send nothing over 300k
don't contact my employer
don't contact the tenant before friday
do not disturb sign on the door
no calls before nine please
no calls after 8 pm please
no texts while I'm at work
no texting, call me
text me no more than twice a week
no pets no kids
never been late
never call before ten
never mind
never again will I rent, I want to buy
I will never stop looking
no one is home until tuesday
out of town until tuesday
let me check with my wife
let me know
keep me on the list
keep my number on file
take my number please
get my number from the office
strike that
sign me up please
turn the lights off
turn this offer down
end it at 300k
`;

test("an appointment, a preference, a value or a refusal of something else is no opt-out, not even in doubt", () => {
  const wrong = OTHER.trim()
    .split("\n")
    .filter((text) => wishOf(text).wish !== "none");
  assert.deepEqual(wrong, []);
});
