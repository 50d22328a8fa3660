import { isBadNews } from "#domain/compliance/bad-news.ts";
import { ownWords } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import { foldText } from "#domain/values/fold.ts";
import { remembering } from "#domain/values/remembering.ts";

/** What a contact does with a text, beside the values in it. Several at once are usual. */
export type Act =
  | "stop"
  | "distress"
  | "hostile"
  | "other_person"
  | "later"
  | "call"
  | "person"
  | "refuse"
  | "interest"
  | "yes"
  | "no"
  | "who"
  | "robot"
  | "about"
  | "source"
  | "recorded"
  | "repeat"
  | "hold"
  | "still_there"
  | "question"
  | "declines"
  | "corrects"
  | "thanks"
  | "goodbye"
  | "greets";

/** Against a folded text. The table is data: data/dialogues/ has the sentences that each is measured by. */
const ACTS: readonly (readonly [Act, RegExp])[] = [
  [
    "hostile",
    /\b(?:fuck\w*|shit\w*|bullshit|bs|wtf|stupid|idiots?|dumb|ridiculous|pissed|furious|livid|pathetic|annoying|annoyed|angry|unhappy|sick of|tired of|fed up|hate (?:this|you|these)|terrible (?:service|company|experience)|awful(?! (?:\w+ ){0,2}(?:noises?|sounds?|smells?|odor|taste|pain|mess|leak|shape|weather|traffic|rattle|headaches?|lot|cold|hot|condition)\b)|worst|scammers?|harass\w*|rude|vultures|leeches|creeps|predators|ghosted|what the hell|the hell|waste of (?:my )?time|wasting my time|unacceptable|ripped? (?:me )?off|screw (?:you|this)|crooks?|liars?|jerks?|morons?|assholes?|pushy|(?:youre|you are|u r|this is|thats|completely|totally|so) useless|^useless|creepy|disappoint\w+|disgust\w+|refund|complaint|overcharged|lied to|stood me up|never show(?:ed)? up|nobody (?:ever )?(?:showed|came|called|answered)|no one (?:ever )?(?:showed|came|called|answered)|no show|what a joke|joke of a|straight answer|(?:rejected|ignored) (?:me|us)|(?:[3-9]|1\d)(?:rd|th) (?:\w+ )?(?:to (?:text|call|bug)|text|call|message)|(?:third|fourth|fifth|sixth|tenth) (?:\w+ ){1,2}to (?:text|call|bug))\b|\b(?:really |so |very )?upset|(?:charged (?:my (?:card|account)|me)|third (?:text|time|call)|(?:you|u) people (?:again|are|keep|never)|made me wait|dont like (?:this|that|it) one bit|dont appreciate (?:this|that|it)|makes? me (?:mad|angry)|sick and tired)\b|\b(?:not|aint) (?:very |at all |really )?(?:happy|pleased|amused)\b|\b(?:i|we) (?:never|didnt|did not) (?:ask(?:ed)?|sign(?:ed)? up|request(?:ed)?|contact(?:ed)?|appl(?:y|ied)|fill(?:ed)? (?:out|in)|visit(?:ed)?|went|go|give|gave|called?|inquired?) (?:for|to|about|you|your|this|that|any|anything|with|at)\b(?! (?:before|yet))/,
  ],
  [
    "other_person",
    /\b(?:ask|call|text|contact|talk to|speak to|speak with|reach out to|try) (?:to )?my (?:\w+ )?(?:wife|husband|spouse|partner|son|daughter|mom|mother|dad|father|brother|sister|roommate|boss|manager|realtor|lawyer|accountant|assistant|boyfriend|girlfriend|fiance|fiancee|landlord)\b|\bmy (?:wife|husband|spouse|partner|son|daughter|mom|mother|dad|father|brother|sister|boss)s? (?:handles?|deals?|takes? care|does|decides|makes|is the one|number is|will|would)\b|\b(?:his|her|their) (?:number|cell|phone)(?: number)?(?: is|s)\b/,
  ],
  [
    "later",
    /\b(?:busy|driving|(?:(?<=^|\b(?:im|i am|still|currently|just|sorry|now|here|were|we are|hes|shes|stuck|back|actually|am|no|hi|hey|cant|ok|okay|um|uh) )(?:in|at) (?:a |the |my )?(?:meeting|work|class|gym|doctors?|store|dinner|lunch)|(?:in|at) (?:a |the |my )?(?:meeting|work|class|gym|doctors?|store|dinner|lunch)(?= (?:right now|rn|now|atm|at the moment|til|till|until|so|call|text|ill|sorry|can)\b))|with a (?:customer|client|patient)|cooking|eating|swamped|about to (?:leave|eat|board)|on another (?:call|line)|cant talk|cannot talk|not now|not right now|another time|some other time|not (?:a )?(?:good|great) (?:time|moment)|bad time|in a bit|get back to (?:you|u|ya)|(?:hit|check|catch) (?:me|us) (?:up|back) (?:later|in|next|around|after|again)|(?:text|txt|remind|write) (?:me|us|you|u|to me) (?:back |again )?(?:later|tomorrow|next|on|in|after)|(?:talk|try|ask|call|check|message|text|txt|write|remind|reach out|contact)(?: \w+)? (?:back )?(?:later|again (?:in|next|after))|(?:ill|i will|well|we will) (?:hit|text|call|contact|message|reach out to|get back to|get back with) (?:you|u|ya|yall)(?: up| back)? (?:in|when|if|next|later|after|once|then)|let me think about it|need to think|think about it|have to think|in the middle of|in the car|hold that thought|mas tarde|ahora no|ocupad[oa]|plus tard|later)\b/,
  ],
  [
    "person",
    /\b(?:talk|speak|chat|put me through|transfer me|connect me|get me|give me)\b.{0,30}\b(?:person|human|someone|somebody|agent|salesperson|salesman|sales rep|sales|loan officer|officer|recruiter|trainer|dentist|installer|inspector|representative|rep|manager|supervisor|operator|your team|anyone|people)\b|\b(?:rather|like to|want to|need to|wanna|can i|could i|may i|let me) (?:just |please |only )*(?:talk|speak|chat) (?:to|with) (?:the|an?|your|somebody|someone|one of|whoever)\b|\b(?:dont|do not|wont|not) (?:\w+ ){0,2}(?:talk|talking|speak|speaking|text|texting) (?:to|with) (?:an? )?(?:bots?|robots?|machines?|computers?|recordings?|ai)\b|\b(?:get|have|want|need) (?:me )?(?:an? )?(?:actual|real|live) \w+|\b(?:is there|do you have|can i get) (?:an? |any )?(?:\w+ )?(?:human|person|agent|somebody|someone) (?:\w+ ){0,3}(?:speak|talk)\b|\b(?:live agent|real person|real human|actual person|actual human|representative|operator)\b(?=.{0,20}$)/,
  ],
  [
    "refuse",
    /\bnot? (?:(?:really|at all|that|longer|so|currently|even|very) )*interest|\bno interest\b|^(?:\w+ )?(?:(?:ok|okay|well|um|uh|alright|fine|then) ){0,2}no,? ?(?:thanks|thank you|thx|ty|gracias|merci|thank u|ma ?am|sir)\b|\b(?:no longer|not|never) (?:looking|in the market|searching|buying|selling|moving|for sale|gonna sell|going to sell|trying to)\b|\b(?:changed my mind|found (?:another|a different|someone|something|a job|one)|went with (?:another|someone|a different))\b|\balready (?:bought|sold|found|have one|have someone|signed|got one|got someone|moved|purchased|hired|taken care|did it|done|had it)\b|\b(?:took|accepted|found|got) (?:another|a different|a new) (?:job|offer|one|position)\b|\b(?:dont|do not|dnt) (?:need|want) (?:it|this|one|any|your|anything|a (?:loan|car|quote|new)|solar|to sell|to move|to buy|an? appointment|help)\b|\bi (?:will |ll |ill )?pass\b(?! on)|\bill pass\b(?! on)|^pass$|\bno me interesa\b|\bpas interesse|\bnot for (?:me|us)\b(?! (?:its|it is|my|his|her)\b)|^(?:nah |no |nope )*(?:not anymore|not any more|no longer)$|\bhell no\b|^(?:\w+ ){0,3}(?:forget (?:it|about it|this)|never ?mind|nvm|nevermind)(?: then| thanks| thank you| sorry)*$|\b(?:thanks|thank you|thx|ty) (?:any ?way|all the same)\b|\b(?:nvm|never ?mind) then\b|\bso (?:just )?(?:forget (?:it|about it|this)|never ?mind|nvm)\b|\bthats? (?:is )?a no\b(?! (?:brainer))|\b(?:too (?:much|high|expensive|far|long|pricey)|a lot) (?:\w+ ){0,2}no (?:thanks|thank you)$|\bbut (?:no|nah|nope)(?: thanks| thank you| sorry)?$|\b(?:i|we|ive|weve) (?:just |already )?moved (?:away|out of (?:state|town|the (?:state|area|country)))\b|\bwere good\b|^(?:im|i am|were|all) good(?: thanks| thank you)?$|\bno need\b|\b(?:wouldnt|doesnt|wont) make sense\b|(?<!\bwhy )\bnot this (?:year|time|season)\b|\bended up \w+ing\b|\balready have (?:solar|an? (?:appointment|agent|realtor|offer|quote|contract))\b|\b(?:im|i am|were|we are) (?:all )?set\b|\b(?:took|started|got) (?:a|another|my) (?:new )?job\b(?! (?:in|at|out|across|over))|\b(?:signed|signing) up (?:somewhere|elsewhere|with)\b|\b(?:switched|moved|changed) to (?:another|a different|someone)\b|\balready (?:had|have|got|found|hired|signed up with) (?:somebody|someone|another|a different|one)\b/,
  ],
  [
    "interest",
    /\b(?:im|i am|were|we are|very|definitely|still|yes|yeah|yea|might be|could be|sounds) (?:very |really |definitely |still |kinda |actually |both ){0,3}(?:interested|interesting|looking|thinking|considering|planning)\b|\btell me more\b|\bmore info\w*\b|\bid (?:still |really |definitely )?(?:like|love) (?:to|more|that)\b|\bsounds (?:good|great|interesting)\b|\blets (?:do it|go|talk)\b|\bcount me in\b|\bsign me up\b|\bme interesa\b|\b(?:necesito|quisiera|me gustaria) (?:una?|el|la|vender|comprar|hacer)\b|\b(?:says|thinks|said|wants|told me|insists) (?:that )?(?:i|we) (?:should|ought|need|do it)\b|\bi (?:guess i )?(?:could|can|might) (?:try|give it a (?:try|shot)|see what)\b|\b(?:thinking|thought) (?:of|about) (?:selling|buying|it|moving)\b|\bmaybe (?:if|for)\b|\bif the price\b|\b(?:on second thought|actually (?:yes|i am|i do|im|wait|maybe|lets))\b|\bquiero (?:vender|comprar|una cita)\b|\b(?:still|do) want (?:the|it|to|a|one|you)\b|\bmaybe i (?:should|could|would)\b|\bi(?: do)? (?:want|need) (?:an? appointment|to come in|to book)\b|^(?:yes )?im (?:still )?in\b(?! (?:the|a|an|my|at|class|bed|traffic))|\bstill in\b|\bbook me\b|\bill take (?:one|it|that|an appointment)\b|\b(?:put|sign|pencil|set) (?:me|us) (?:down|up|in)\b(?! on your do not)/,
  ],
  [
    "yes",
    /^(?:(?:oh|ow|oof|aw|gosh|hi|hey|hello|hola|bueno|pues|well|hmm|um|uh|ok|okay|actually|lol|haha|ooh|mm+|eh|ah|but|and|so|then|good|great|fine|hm|weird|sorry|sry|ty|np|right|ah|wait|alright|w e|whatever) )*(?:yes|yeah|yea|yeh|yep|yup|ya|yah|yas|yess+|yessir|yess|ye|sure|ok|okay|k|kk|y|possibly|of course|absolutely|definitely|certainly|totally|100|sounds (?:good|great|fine)|correct|right|thats right|please do|go ahead|(?:i am|i sure am|i do|i would|i did|i have|we do|we are|we sure are|we did|we have|i sure do|we sure do|sure do|it is|it sure is|sure is|thats us|im overdue|i guess so|it is ours|it does|it was|it has|they are|there is|theres)(?=$| (?:thanks|and|but|so|because|actually|still|own|too|indeed|yes|yeah|yep|sir|maam|well|ours|already|interested|a|some|damage|it|have|ive))|id love to|for sure|works for me|affirmative|you bet|perfect|great|mhm|mm ?hmm?|uh huh|yuppers|duh|indeed|si|claro|oui|bien sur|why not|big time|i suppose(?: so| id better| i should| we should)?|i guess we should|i guess i should|still in|guess so|i guess|i think so|think so|probably|most likely|already did|all of it|bet|fasho)\b(?! (?:not|no)\b)|^(?!.*\b(?:can|do|will|what|if)\b).*\b(?:yes|yeah|yep|yea)$|\b(?:ill|well|i will|we will) (?:be there|come|make it|attend|join)\b|\b(?:i mean|wait|actually|well|then|um|uh) (?:yes|yeah|yep|definitely|absolutely)\b|^(?:\w+ )?(?:i|we|he|she|it|they|that|there) (?:do|does|did|is|are|am|was|were|has|have|had|can|could|will|would|should)(?: (?:actually|indeed|yes|already|now|sir|maam|thanks|i think|i guess))*$|\b(?:but (?:yeah|yes|sure)|oh my gosh yes|so yeah|so yes|then yes|then yeah)\b|^yes (?:sir|maam)\b/,
  ],
  [
    "no",
    /^(?:(?:oh|hi|hey|hello|hola|pues|well|hmm|um|uh|ok|okay|alright|yeah|hell|lol|haha|sorry|actually|honestly|but|and|so|mm+|eh|ah|i mean|fuck) )*(?:no(?! (?:clue|idea|rush|hurry|problem|worries|wait|preference|pressure|biggie|se|lo se|estoy segur[oa]|hablo|entiendo|entendi|recuerdo|tengo (?:correo|email|idea|prisa)|hay problema|importa))|nope|nah|naw|nop|noo+|n|nay|not really|not at all|not yet|not that (?:i|we|ive|weve)|not currently|not anymore|not any more|negative|i dont(?! (?:know|mind|care|remember|think|understand|get|see|recall|believe))|i do not(?! (?:know|mind|care|remember|think|understand))|i didnt(?! (?:know|get|understand|catch|hear))|i havent(?! (?:decided|thought|heard))|havent|we dont(?! (?:know|mind|care))|we do not|we didnt|we havent|im not|i am not|were not|it isnt|its not(?! (?:for (?:me|us)|mine|my|ours)\b)|it is not|it wasnt|isnt|dont have|didnt|never|none|aint|nuh uh|non|neither|dont think so|(?:i|we) dont think so|i doubt it|only renting|just renting|unfortunately not|sadly no|(?:im )?afraid not|not that (?:i|we) know|not as far as|not at the moment|no sir|no maam)\b(?! (?:i mean|problem|worries|wait|sorry|actually)\b)|\b(?:so|sorry|but|that|it|really) (?:no|nope)$|\bnot yet$|^(?:\w+ )?(?:i|we|he|she|it|they|that|there) (?:dont|doesnt|didnt|isnt|arent|wasnt|werent|havent|hasnt|hadnt|cant|couldnt|wont|wouldnt|do not|does not|did not|is not|are not|has not|have not)(?: (?:yet|anymore|actually|really|sorry|thanks|right now|currently|i think|no))*$|\b(?:well|um|uh|oh) (?:nope|nah|no)\b(?! (?:problem|worries|idea|clue|rush|wait|i|we|it|actually|sorry))|\bbut no not\b|\bbut (?:i|we|he|she|they|ours|mine) (?:dont|do not|doesnt|havent|didnt|cant|isnt|arent|wasnt)$|\b(?:cant|cannot|wont|not able to|unable to) (?:make it|come|be there|attend|go)\b|\bout of town\b/,
  ],
  [
    "robot",
    /\b(?:are|r|is|am i|you) (?:you|u|this|i|talking|texting)?(?: talking| texting| speaking| chatting)?(?: to| with)? ?(?:a |an |even |just |some |really |actually |actual |live |like )*(?:bot|robot|real|human|ai|machine|computer|person|automated|chatgpt|chatbot|recording)\b|\bu? ?(?:bot|robot|ai)$|\b(?:you|u|this|it) (?:sounds?|seems?|feels?|talks?|looks?) (?:like|as if) (?:an? |youre an? |you are an? |some )?(?:\w+ )?(?:bot|robot|computer|machine|recording|ai|script)\b|\beres (?:un )?(?:robot|bot|humano|real)\b/,
  ],
  [
    "who",
    /\bwho(?:s| is| are| r|se| am i| m i)? ?(?:this|you|u|dis|dat|these|that|sending|texting|calling|speaking|talking|again|is(?! (?!(?:text|call|send|writ|speak|talk|contact|messag|ask|reach)ing\b)\w+ing\b)|tf|it)\b|^(?:(?:im )?sorry |oh |wait |hi )*who$|^(?:and )?you are$|\bwho(?:s| is) (?:this|calling|it)\b|\b(?:what|which) (?:company|business|organi[sz]ation)\b|\bdo i know (?:you|u)\b|\bis this (?:a |an |even )*(?:spam|scam|legit)\b|\b(?:are|r) (?:you|u) (?:legit|a scam|for real)\b|\bnew phone\b|\b(?:whats|what is|what was|what did you say|catch) (?:your|ur) name\b|\b(?:your|ur) name (?:was|again)\b|\bquien (?:es|eres|habla|llama)\b|\bcon quien hablo\b|\bqui est\b/,
  ],
  [
    "about",
    /\bwhats? (?:is |s )?(?:this|that|it|the call|your call|it all)(?: call| text)? (?:all )?(?:about|regarding|concerning|for)\b|\bhow come (?:you|u|youre|ur)\b|\bwhy (?:are|r) (?:you|u) (?:calling|texting|messaging|contacting)\b|\bwhat (?:do|did) (?:you|u) want\b|\bwhat (?:is|s) (?:this|that)$|^about what$|^regarding what$|\b(?:what|which) (?:job|position|quote|appointment|loan|car) (?:is|was) (?:this|it|that)\b|\bwhat are you (?:selling|offering|calling about)\b|\bde que se trata\b|\bwhat company\b/,
  ],
  [
    "source",
    /\b(?:get|got|have|find|found|gave|come by|came by) (?:you |u )?(?:my|this) (?:\w+ )?(?:number|info|information|name|contact|phone|details|cell)\b|\bhow (?:did|do) (?:you|u|yall) (?:get|find|have|know) (?:me|my)\b|\b(?:dont|do not|cant) (?:even )?(?:remember|recall) (?:asking|signing|filling|requesting|contacting|calling|applying|booking|giving|ever|any of this|this|you)\b|\bwho (?:told|gave) (?:you|u)\b|\bconsiguio mi numero\b|\bde donde \w+ mi numero\b/,
  ],
  [
    "recorded",
    /\b(?:is|are|am) (?:this|the|you|i|we)(?: call| conversation| line)?(?: being)? (?:record|tap)|\b(?:gets?|getting|being|be) recorded\b/,
  ],
  [
    "repeat",
    /^(?:(?:im )?sorry |pardon |excuse me |what |huh |uh |um )*(?:sorry|pardon(?: me)?|what|huh|wha|wut|excuse me|come again|say what|what was that|what do (?:you|u) mean|what does that mean|i dont (?:understand|get it|follow)|dont understand|(?:what did you|can you|could you|please|you) (?:say|repeat)(?: that| it| again| please| the question)*|(?:say|repeat) (?:that|it|the question)(?: again)?(?: please)?|i (?:didnt|cant|couldnt|did not|cannot|could not) (?:hear|catch|understand|get)(?: you| that| it| what you said)?|im confused|confused|no entiendo|como)$/,
  ],
  [
    "still_there",
    /^(?:(?:hello|are you (?:still )?there|(?:is )?(?:anyone|anybody) there|can you hear me|you there) ?)+$/,
  ],
  [
    "hold",
    /^(?:(?:ok|okay|yeah|yes|um|uh|can you|please|just|oh) )*(?:hold on|hang on|wait|(?:one|just a|give me a|a) (?:sec|second|minute|moment|min))\b(?!.*\b(?:did|what|how|who|actually|no|sorry|make|i mean)\b)/,
  ],
  [
    "declines",
    /\b(?:dont know|do not know|dunno|idk|not sure|no idea|unsure|no clue|skip|rather not|prefer not|none of (?:your|ur)|can i skip|pass on (?:that|the|this|it)|not telling|wont say|no se|je ne sais pas|cant (?:really )?tell|never (?:really )?(?:counted|checked|looked|measured)|no way to know|no lo se|no estoy segur[oa]|no recuerdo|no me acuerdo|ni idea|no tengo (?:correo|email|e mail|telefono|idea)|prefiero no|no (?:quiero|puedo) (?:dar|decir)\w*|cant say|hard to say|(?:havent|have not|dont) (?:\w+ )?(?:got|gotten|get|have|had|set) (?:a|the|any) (?:\w+ )?(?:date|day|time)(?: yet| set)?$|no (?:set )?date yet|couldnt tell you|couldnt say|foggiest|varies|hard to tell|your guess|have to look|look that up|undecided|barely|hardly|havent (?:really |actually |even )?(?:decided|thought|picked|chosen|set|settled|figured|looked|got that far)|still deciding|still (?:trying|figuring|working)|not comfortable|dont want to (?:say|share|give)|not giving|why do you need|(?:dont|do not|wont|not gonna|rather not|not going to|cant|can i not) (?:wanna |want to |gonna )?(?:say|tell|share|give)|wanna say|(?:give|tell|send) (?:you|u) (?:that|it) (?:later|on the day|then)|no email|no (?:real |set |particular |specific |hard )?(?:budget|preference|limit)|(?:dont|do not) do e ?mail|skip the (?:receipt|email)|(?:dont|do not) (?:really )?(?:have|use|do) (?:an? )?(?:email|e mail|phone|zip)|thats private|thats personal|no comment|use (?:this|the same|that) (?:number|one|phone)|(?:dont|do not) (?:really )?have (?:one|any)|who knows|(?:dont|do not) (?:really )?have an? \w+ in mind|doesnt matter|dont remember|cant remember|couldnt (?:even )?guess|(?:keep|keeping) (?:that|it)(?: number)? to myself|(?:dont|do not) feel comfortable|rather keep|beats me|(?:this|same|that) (?:number|one)(?:s| is)? (?:fine|good|ok|okay|works)|(?:the )?(?:same|one|number) (?:one |number )?(?:youre|you are|you) (?:\w+ )?(?:calling|texting|called|texted|have|got)|ill (?:text|send|email|give) (?:it|that|you|them))\b|^(?:just |its |use )*(?:this|the same) (?:one|number)$/,
  ],
  [
    "corrects",
    /^(?:(?:oh|um|uh|oops|wait|hmm|hey) )*(?:no|sorry|actually|scratch that|correction|i meant|i mean|wait|oops|my bad|make (?:it|that)|lets (?:do|make|say)|change|nope|never mind|on second thought|rather)\b|\b(?:actually|i meant|i mean|scratch that|make it|make that|instead|not \w+ but|change (?:it|that) to|rather|sorry|i said)\b/,
  ],
  [
    "thanks",
    /\b(?:thanks|thank you|thank u|thx|thnx|tysm|ty|tks|appreciate (?:it|that|you|ya)|gracias|merci|danke|obrigad[oa]|grazie|cam on)\b/,
  ],
  [
    "goodbye",
    /\b(?:bye|goodbye|good bye|byebye|cya|see (?:you|ya|u)|take care|ttyl|talk (?:soon|later|to you (?:then|later|soon))|thats (?:all|it)(?= (?:thanks|thank you|thx|for now|bye)|$)|have a (?:good|great|nice|blessed|wonderful)|good ?night|night night|gotta go|got to go|peace out|adios|hasta luego|au revoir|tschuss|tchau)\b/,
  ],
  [
    "greets",
    /^(?:hi|hey|hello|good (?:morning|afternoon|evening)|yo|howdy|sup|whats up|how are you|hola|buenos dias|buenas)(?: (?:there|how are you|how are you doing|hows it going|to you))*$/,
  ],
];

const YES_AND_NO = ACTS.filter(([act]) => act === "yes" || act === "no");

const CALL = new RegExp(
  `(?<!\\b(?:dont|do not|not|never|no need to|without|instead of|rather than|cant|cannot) (?:\\w+ )?)(?:${[
    "(?<!\\bso (?:\\w+ ){1,3}can )\\b(?:call|phone|ring|dial|buzz) (?:me|us)\\b(?! (?:crazy|mr|mrs|ms))",
    "\\bcall back\\b",
    "\\btry (?:me|us) (?:back |again )?(?:at|around|after|tomorrow|tonight|on|in|this)\\b",
    "^(?:please |ok |okay |yes |sure |just |hi |yeah )*call\\b(?! (?:it|that|the|you|him|her|them|your|my|center|list))",
    "\\b(?:can|could|would|will|please|have) (?:you|u|someone|somebody|your team|an? \\w+) (?:please )?(?:call|phone|ring)\\b(?! (?:it|that|him|her|them))",
    "\\b(?:need|want|like|prefer|schedule|book|arrange|have|do|hop on|jump on|get on) (?:a|the) (?:quick |short |phone )*call\\b",
    "\\b(?:give|gimme) (?:me |us )?a (?:call|ring|buzz|shout)\\b",
    "(?<!\\b(?:not|dont|never|comfortable) (?:\\w+ ){0,6})\\b(?:over|on|by) the phone\\b|\\blets talk\\b",
    "\\bllam[ae](?:me|rme)\\b|\\bme (?:llamas?|puede llamar|pueden llamar)\\b|\\bappele[rz] moi\\b",
  ].join("|")})`,
);

const QUESTION =
  /^(?:(?:and|but|ok|okay|so|hey|hi|yes|yeah|no|well|um|uh|hmm|oh|k|sure|wait|first|maybe|also|great|cool|thanks|sorry|good) )*(?:(?<=\b(?:and|but|so|ok|okay) )if (?:its|it|theres|there|i|we|you|the|my)\b(?!.* (?:then|id|ill|wed|well)\b)|depends (?:on )?(?:what|how) (?:you|u|much|it)|what|whats|how|hows|when|where|wheres|why|which|who|can \w+|could (?:you|u|i|we)|do (?:you|u|i|they|we|yall|your|the|most)|does|is (?:it|there|this|the|that|your|ur|my)|are (?!good|great|fine)\w+|r (?:you|u|we|they)|will (?:it|you|u|i|they|this|that|my|insurance|the)|would (?:it|you|u|i|we)|should i|am i|did (?:you|u)|have you|cuanto|cuando|donde|que|por que|cual)\b|\b(?:but|and|so|also) (?:what|whats|how much|how long|how does|when|where|why|do you|is it|is there|are you|does it|can i|can you|will)\b|\bwhat (?:do|does|would) (?:people|most|others|folks|everybody|everyone)\b|\b(?:how much|what does it|whats the|what is the|how long|how early|how late|how soon|do you guys|do yall|do (?:you|u) (?:take|do|have|work|offer|accept|cover|come|sell|buy|serve|guys)|can (?:you|u) (?:fix|do|beat|come|knock|give|guarantee|promise|match)|are (?:you|u) (?:open|licensed|insured)|ballpark|tell me (?:the|how|what|about)|(?:what|how|when|where|why|which|who)(?:s| is| are| do| does| did| would| will| can| could| much| many| long| early) (?:you|u|it|the|a|your|i|we|they|that|this)|(?:hold up|hold on|wait|second|minute|well|um|uh|oh) (?:is|are|do|does|can|could|will|would) (?:the|it|this|that|there|you|u|i|we|your|they)|(?:i|i just) (?:have|had|got) a question|question about|is (?:that|this|it) (?:something|ok|okay|possible|a problem|included|alright|allowed|a thing))\b/;
/** "And there's no interest on the plan right": a statement that wants to be confirmed. */
const TAG =
  /^(?:(?:and|so|but|ok|okay|well|um|uh|oh|wait) )*(?:theres|there is|there are|its|it is|its not|you|you guys|yall|this|the|that|thats|i) (?!(?:is|are|was|s)? ?(?:right|correct)$)(?:\w+ ){2,12}(?:right|correct|yeah|isnt it|arent you|dont you|doesnt it|is it|do you|are you|does it|wont it|wont you|huh)$/;
/** "Who do we have it's ...": asked of oneself, and answered. */
const TO_ONESELF =
  /^(?:(?:um|uh|oh|well|okay|ok) )*(?:who|what|which one) (?:do|did|is|was|are) (?:i|we|it|that)(?: (?:have|use|got|using|again|now|called)){0,2} (?=its |it says |thats |i think |oh )/;
/** "When I retire" is a time, and "when do I" a question. */
const WHEN_IT_IS = /^(?:(?:um|uh|oh|well|maybe|probably) )*when (?:i|we|he|she|they|it|my|our|the)(?:ve|re|m|s|ll)? /;
const HOLDS =
  /^(?:(?:ok|okay|um|uh|sorry|hey|oh) )*(?:can|could|would) (?:you|u) (?:please |just )?(?:hold on|hang on|wait|give me)(?: (?:for |just )?(?:a|one|two) (?:sec|secs|second|seconds|minute|minutes|moment|min))?(?: please)?$/;
/** Assent, though it begins as a question does. */
const WHY_NOT = /^(?:(?:ok|okay|yes|yeah|sure|well|alright|eh|hm+) )+why not$/;
/** Said with a question mark it only asks to go on. */
const GO_ON = /^(?:(?:yes|yeah|yep|yup|ok|okay|sure|hello|hi|hey|hm+|uh huh|speaking|this is (?:he|she)) ?)+$/;
const PLAIN_YES = /^(?:(?:oh|ok|okay|um|uh|well|hi|hey) )*(?:yes|yeah|yep|yup|sure|definitely|absolutely)\b/;
const ASKS_PLAINLY =
  /^(?:(?:and|but|so|ok|okay|um|uh|well|oh) )*(?:how (?:many|much|big|large|old|long)|what (?:is|are|does|do|kind|size)|whats|is (?:that|this|it|there)|are there|does|do you)\b(?!.*\b(?:later|busy|call|text|tomorrow)\b)/;
const PLAIN_NO = /^(?:no|nope|nah|not interested)\b/;
const SAYS_NO = /\b(?:no|not|nope|dont)\b/;
const YES_SIGN = /^\s*(?:👍|👌|✅|🙌|💯|🆗)/u;
const NO_SIGN = /^\s*(?:👎|❌|🙅)/u;
const THANKS_SIGN = /🙏/u;

/** No text of a person says more than this. */
const MAX_READ = 2_000;

const asks = (folded: string): boolean => !WHEN_IT_IS.test(folded) && QUESTION.test(folded.replace(TO_ONESELF, ""));

/** "Yes we both do. can i pay by card": people who leave out the mark ask in a sentence of its own all the same. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/\n|(?<=[.!])\s|, (?=(?:can|could|do|does|will|would) (?:you|u|i|we|it|he|she|they|my)\b)/)
    .slice(1)
    .map(foldText);

type Acts = { folded: string; acts: ReadonlySet<Act> };

/** Reads one text by rules; what is not recognised is simply not there. */
export const actsIn: (text: string) => Acts = remembering(readActs);

function readActs(text: string): Acts {
  const read = text.slice(0, MAX_READ);
  const folded = foldText(read);
  const acts = new Set(ACTS.filter(([, pattern]) => pattern.test(folded)).map(([act]) => act));
  // "I do. My email is ...": the first sentence answers, whatever follows it.
  const first = foldText(read.split(/[.!\n]/, 1)[0]!);
  for (const [act, pattern] of YES_AND_NO) if (first !== folded && pattern.test(first)) acts.add(act);
  // "Yes! No clue what type": what the first sentence says holds.
  if (first !== folded && PLAIN_YES.test(first) && !SAYS_NO.test(first)) acts.delete("no");
  if (isBadNews(foldText(ownWords(read)))) acts.add("distress");
  const { wish } = wishOf(text);
  // A death is no wish to be left alone by itself, though the law's part takes it for a doubtful one.
  if (wish === "stop" || (wish === "unclear" && !acts.has("distress"))) acts.add("stop");
  if (CALL.test(folded)) acts.add("call");
  if (YES_SIGN.test(read)) acts.add("yes");
  if (NO_SIGN.test(read)) acts.add("no");
  if (THANKS_SIGN.test(read)) acts.add("thanks");
  if ((read.includes("?") && !GO_ON.test(folded)) || TAG.test(folded) || asks(folded) || sentencesOf(read).some(asks))
    acts.add("question");
  if (acts.has("hold") && !read.includes("?") && HOLDS.test(folded)) acts.delete("question");
  if (WHY_NOT.test(folded) && !read.includes("?")) acts.delete("question");
  // "How many people are in a class" is no excuse.
  if (ASKS_PLAINLY.test(folded)) acts.delete("later");
  if (TAG.test(folded) && !PLAIN_NO.test(folded)) for (const act of ["no", "refuse"] as const) acts.delete(act);
  if (acts.has("refuse")) acts.delete("interest");
  if (acts.has("no") || (acts.has("goodbye") && !/^(?:yes|yeah|yep|sure)\b/.test(folded))) acts.delete("yes");
  if (/^(?:laters?|cya later|later then)$/.test(folded)) {
    acts.delete("later");
    acts.add("goodbye");
  }
  if (/^(?:uh huh ?)+$/.test(folded)) acts.delete("repeat");
  if (acts.has("robot")) acts.delete("person");
  return { folded, acts };
}
