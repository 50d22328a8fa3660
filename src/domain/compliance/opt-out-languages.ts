/**
 * Wishes to be left alone in languages other than English, Spanish and French, which opt-out.ts knows better. Few words, and
 * only such as say nothing else. Matched against a folded sentence: `Não` is `nao`.
 */
const LATIN: readonly RegExp[] = [
  // Portuguese
  "\\b(?:pare|parem|para) (?:com|de) (?:\\w+ )?(?:mand|envi|escrev|lig|mensag|isso|me )\\w*|\\bnao (?:me )?(?:mand|envi|escrev|lig|perturb|incomod|contat)\\w*|\\bnao quero (?:mais )?(?:receber|mensag)\\w*",
  "\\bme (?:tir\\w+|remov\\w+|exclu\\w+) d|\\bdescadastr\\w*|\\bsair da lista\\b|\\bme deix\\w+ em paz\\b",
  // German
  "\\babmelde\\w*|\\babbestell\\w*|\\bkeine (?:weiteren? )?(?:nachricht\\w*|sms|werbung|textnachricht\\w*|anrufe)\\b|\\bnicht mehr (?:schreib|kontaktier|anruf|anschreib|belastig)\\w*",
  "\\bhor(?:en|t)?(?: sie)?(?: bitte)?(?: damit)? auf\\b|\\blass\\w* (?:sie )?mich in ruhe\\b|\\bloschen sie (?:mich|meine)\\b",
  // Italian
  "\\bsmett\\w+|\\bnon (?:mi |voglio (?:piu )?)(?:scriv|contatt|mand|invi|chiam|disturb|ricev|cerc)\\w*|\\bcancell(?:ami|atemi|atemi)\\b|\\bdisiscri\\w+|\\blascia(?:mi|temi) in pace\\b|\\bbasta (?:messagg\\w+|sms)",
  // Dutch, Polish
  "\\bstop met\\b|\\bafmelden\\b|\\bgeen (?:berichten|sms|reclame) meer\\b|\\blaat me met rust\\b",
  "\\bprosze (?:przestac|nie pis\\w+|mnie wypis\\w+)|\\bnie pisz\\w*|\\bwypisz\\w* mnie|\\brezygnuje\\b",
  // Tagalog, Vietnamese, Haitian Creole
  "\\btigil(?:an)?(?: na| mo| nyo| niyo)|\\bhuwag (?:(?:na|mo|nyo|niyo|po|kayo|mag) )+\\w*(?:text|tawag|mag|message)\\w*",
  "\\b(?:dung|ngung|thoi) (?:nhan tin|gui|goi)|\\bhuy dang ky\\b|\\bsispann (?:voye|ekri|rele)|\\bpa (?:voye|ekri|rele) m(?:wen)? (?:anko|mesaj)",
].map((source) => new RegExp(source));

/** Scripts that folding drops: matched against the text as it is written. */
const SCRIPTS =
  /退[订訂]|取消[订訂][阅閱]|停止(?:发|發|短信|接收|联系|聯繫)|(?:不要|别|別|勿)再?(?:发|發|给我发|联系|聯繫|打|烦|煩)|^停止$|配信停止|停止して|送らないで|連絡しないで|やめてください|登録解除|그만|수신\s?거부|보내지\s?마|연락하지\s?마|отпи(?:с|ш)|не (?:пишите|пиши|присылайте|беспокойте|звоните)|прекратите|хватит|удалите меня|توقف|[إا]لغاء الاشتراك|لا (?:ترسل|تراسل|تتصل)|[أا]وقفوا|बंद कर|मत भेज|हटा ?(?:दो|दें)|הסר|תפסיק/iu;

export const isWishAbroad = (text: string, folded: string): boolean =>
  LATIN.some((phrase) => phrase.test(folded)) || SCRIPTS.test(text.trim());
