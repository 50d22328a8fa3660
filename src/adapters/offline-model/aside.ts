/** What a contact says in a call that answers nothing and asks for something of its own, against a folded text. */
export type Aside = "recorded" | "about" | "repeat" | "still_there" | "hold";

const ASIDES: readonly (readonly [Aside, RegExp])[] = [
  ["recorded", /\b(?:is|are|am) (?:this|the|you|i|we)(?: call| conversation| line)?(?: being)? (?:record|tap)/],
  [
    "about",
    /\bwhats? (?:is |s )?(?:this|it|the call|your call)(?: call)? (?:about|regarding|concerning|for)\b|\bwhy (?:are|r) you calling\b|\bwhat do you want\b/,
  ],
  [
    "repeat",
    /^(?:(?:im )?sorry |pardon |excuse me |what |huh )*(?:sorry|pardon(?: me)?|what|huh|excuse me|come again|(?:what did you|can you|could you|please|you) (?:say|repeat)(?: that| it| again| please)*|(?:say|repeat) (?:that|it)(?: again)?(?: please)?|i (?:didnt|cant|couldnt|did not|cannot|could not) (?:hear|catch|understand|get)(?: you| that| it| what you said)?)$/,
  ],
  [
    "still_there",
    /^(?:(?:hello|hi|hey|are you (?:still )?there|(?:is )?(?:anyone|anybody) there|can you hear me)(?: |$))+$/,
  ],
  [
    "hold",
    /^(?:(?:ok|okay|yeah|yes|um|can you|please|just) )*(?:hold on|hang on|wait|(?:one|just a|give me a) (?:sec|second|minute|moment))\b/,
  ],
];

export function asideIn(folded: string): Aside | undefined {
  return ASIDES.find(([, pattern]) => pattern.test(folded))?.[0];
}
