// What a refusal of a call means, in words: each status has its own, since what is to be done differs. RFC 3261, 21, and the later ones named.

const CAUSES: Readonly<Record<string, string>> = {
  "400": "The carrier could not read our request.",
  "401": "The carrier wants a username and password, or does not take those that the trunk has.",
  "402": "The carrier wants to be paid: look at the account's balance.",
  "403":
    "The carrier does not allow this call: the number that it is from, the country, or our address is not allowed on the account.",
  "404": "There is no such number, or the carrier knows no way to it.",
  "405": "The carrier takes no calls at this address.",
  "407": "The carrier's proxy wants a username and password, or does not take those that the trunk has.",
  "408": "Nobody answered in the carrier's time.",
  "410": "The number is no longer in use.",
  "415": "The carrier does not take the session description that was offered.",
  "420": "The carrier does not know an extension that was asked for.",
  "422": "The carrier wants longer session timers than were offered.",
  "428": "The carrier wants a signed caller identity (STIR), which this trunk does not give.",
  "433": "The callee takes no anonymous calls.",
  "436": "The carrier could not get the certificate of the caller identity.",
  "437": "The carrier does not trust the certificate of the caller identity.",
  "438": "The carrier found the signature of the caller identity wrong.",
  "480": "The phone is not reachable now: off, without network, or set not to be disturbed.",
  "481": "The carrier no longer knew the call.",
  "482": "The call went round in a circle between carriers.",
  "483": "The call passed through too many proxies.",
  "484": "The number is not complete, or not in the form that the carrier wants.",
  "485": "The number stands for more than one phone.",
  "486": "The line was busy.",
  "487": "The call was given up before anybody answered.",
  "488": "Nothing offered for the sound suits the carrier: codec, SRTP or address.",
  "491": "Both sides asked for a change at the same time.",
  "500": "The carrier had a fault of its own.",
  "501": "The carrier does not do what was asked.",
  "502": "A carrier on the way gave an answer that could not be read.",
  "503": "The carrier had no room or was out of service.",
  "504": "A carrier on the way did not answer in time.",
  "513": "The request was too large for the carrier.",
  "580": "The carrier could not reserve what the sound needs.",
  "600": "All lines of the callee were busy.",
  "603": "The callee, or their carrier on their behalf, declined the call.",
  "604": "There is no such number anywhere.",
  "606": "The callee's phone accepts nothing of what was offered.",
  "607": "The callee has marked calls from this number as unwanted.",
  "608": "A carrier's analytics rejected the call: the number that it is from is taken for spam.",
};

const CLASSES: Readonly<Record<string, string>> = {
  "3": "The carrier sent the call elsewhere, and calls are not redirected.",
  "4": "The carrier refused the request.",
  "5": "The carrier failed.",
  "6": "The callee refused the call.",
};

/** A SIP status with its meaning and, where the carrier said more than the code, its own words; null where there is no such code. */
export function carrierCause(code: string | null, text: string | null): string | null {
  if (code === null || !/^[3-6]\d\d$/.test(code)) return null;
  const meaning = CAUSES[code] ?? CLASSES[code[0]!]!;
  return text ? `${meaning} The carrier said: ${text}` : meaning;
}
