/** Words that say nothing by themselves. */
const FILLERS = new Set(
  "yes no yeah yea yep ya nope ok okay k sure maybe hi hello hey huh what lol haha hm hmm hmmm well fine cool good great thanks thank you u um uh ugh the a it its that this who why so oh ah then guess i im now nvm never mind free alright right just like right and but for to of whatever whatevs idk np thx ty perfect ouch yikes wow whoa geez gosh omg dang".split(
    " ",
  ),
);

/** `asdfgh`, `12345`, `hm well`: no words of anything. Takes a folded text. */
export const isNoise = (folded: string): boolean =>
  !/[a-z]/.test(folded) ||
  (!/^(?:\w ){2,}\w$/.test(folded) &&
    folded.split(" ").every((word) => FILLERS.has(word) || isDrawnOut(word) || isMash(word)));

/** `heyy`, `okk`. */
const isDrawnOut = (word: string): boolean => word.at(-1) === word.at(-2) && FILLERS.has(word.slice(0, -1));

/** Keys that were struck at random, or one letter over and over. */
const isMash = (word: string): boolean =>
  (word.length > 3 && !/[aeiouy]/.test(word)) ||
  new Set(word).size === 1 ||
  /^(?:asd|qwe|sdf|jkl|zxc|dfg|fgh|wert)\w*$/.test(word) ||
  /(.)\1\1/.test(word);
