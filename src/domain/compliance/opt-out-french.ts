/** Wishes to be left alone in French, matched against a folded sentence: `n'appelez` is `nappelez`. */

/** Their stems, for any ending: appelez, appeler, appelle. */
const VERB =
  "(?:r?appel|text|(?:re|r)?ecri|(?:re|r)?envoy|(?:re)?contact|derang|sollicit|harcel|importun|embet|ennuy|achal|spamm|(?:re)?telephon|joign|relanc|parl)\\w*\\b";
const TEXTS =
  "d?(?:messages?|textos?|textes|sms|appels|courriels?|pub\\w*|spam|notifications?|promos?|promotions?|communications?|envois)";
const COURTESY = "(?: (?:svp|stp|sil (?:vous|te) plait|merci|maintenant|immediatement|tout de suite|non plus))*";
/** Who does it, where it is not asked of us: il ne m'appelle plus. */
const NO_SUBJECT = "(?<!\\b(?:il|elle|on|je|tu|ils|elles|qui|pourquoi vous|que je) )";
const ME = "(?:me |m|nous |lui |les )?";
const NOT_LATER =
  "(?! (?:avant|apres|pendant|entre|demain|aujourdhui|ce (?:soir|matin|midi)|cette (?:semaine|apres)|trop|si (?:tot|tard)|tard|tot|souvent|quand|le (?:matin|soir|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)|la (?:nuit|fin)|en (?:soiree|semaine))\\b)(?!.{0,80}\\b(?:plutot|ecrivez moi|textez moi|appelez moi|suffit|par (?:texto|courriel|message|telephone))\\b)";
/** Behind a `pas`: nothing that it could be about. */
const ALONE =
  "(?=$| (?:svp|stp|sil|merci|ici|ce (?:numero|telephone)|ni|mon |a (?:ce|mon|cette) |chez |encore|de nouveau|et n))";
const OTHER_PAPERS =
  "(?!.{0,20}\\b(?:bail|hypotheque|factures?|commande|rendez|contrat|assurance|reunion|dattente|d attente|compte)\\b)";
const WANT = "j?(?:veux|veut|voulons|desire|desirons|souhaite|souhaitons|voudrais|aimerais|accepte|autorise)";

const WISHES: readonly RegExp[] = [
  // ne m'ecrivez plus, n'appelez plus, ne rappelez pas, de ne plus m'appeler
  `${NO_SUBJECT}\\b(?:ne ${ME}|n)${VERB}(?: (?:moi|nous))? (?:plus|jamais)\\b${NOT_LATER}`,
  `${NO_SUBJECT}\\b(?:ne ${ME}|n)(?!envoy|parl)${VERB} pas\\b${ALONE}${NOT_LATER}`,
  `${NO_SUBJECT}\\b(?:ne ${ME}|n)envoy\\w* (?:pas|plus|rien|aucun) ?(?:(?:de|d|vos|ces|autres?) )*(?:${TEXTS}|rien|ca)\\b${NOT_LATER}`,
  `\\b(?:me |m)(?!parl)${VERB} (?:plus|pu)\\b(?! (?:de|d\\w+|que|vite|lentement|loin)\\b)(?<!\\b(?:il|elle|on|je|vous|tu) (?:me )?\\w+ (?:plus|pu))${NOT_LATER}`,
  `\\bne (?:plus|pas|jamais|plus jamais) (?:me |m|nous |du tout )?(?!envoy|parl)${VERB}${NOT_LATER}`,
  `\\bne (?:plus|pas|jamais) (?:me |m|nous )?envoyer (?:(?:de|d|vos|ces|plus|rien) ?)*(?:${TEXTS}|rien)?(?=$| )(?! (?:la|le|les|un|une|ce|cette) )${NOT_LATER}`,
  // je ne veux plus recevoir de messages, je ne veux pas que vous m'appeliez
  `\\b${WANT} (?:plus|pas|jamais|plus jamais|pu) (?:recevoir|avoir|voir)?(?: ?(?:de|d|vos|tes|ces|votre|aucun|aucune|autres?|jamais))* ?(?:${TEXTS})\\b(?<!\\b(?:je|j) (?:veux|voudrais|aimerais|souhaite|desire) plus de (?:\\w+))`,
  `\\b${WANT} (?:plus|pas|jamais|pu) (?:etre|me faire) (?:contact|r?appel|derang|sollicit|importun|joint|harcel|text|sur (?:votre|la|cette|vos|ta|une) liste)\\w*${NOT_LATER}`,
  `\\b${WANT} (?:plus|pas|jamais|pu) (?:que|qu) ?(?:vous|tu|on|lon|personne) ${ME}${VERB}${NOT_LATER}`,
  `\\b${WANT} (?:plus|pu) (?:rien )?(?:recevoir|entendre parler|avoir affaire)(?! (?:la|le|les|de|du) (?:factures?|colis|journal|revue|catalogue))`,
  "\\bpref(?:ere|erons|ererais|ererait) (?:ne (?:plus|pas) |que vous (?:ne )?(?:cess|arret|me |m))(?:recevoir|etre|avoir|\\w*)",
  // arretez de m'ecrire, arretez le spam, annulez tous les messages, arretez
  "\\bd?(?:arret|cess)(?:e|ez|er|es|iez)(?: (?:svp|stp|donc|immediatement))?(?: (?:de|d|m|me|nous))* ?(?:m|d|de|me)?(?:envoy|ecri|text|contact|r?appel|harcel|derang|spam|messag|sollicit|importun|achal|embet|telephon)\\w*",
  `(?<!\\bn(?:e|ous|e pas)? )\\b(?:arret|cess|termin|annul|suspend|stopp|stop|fini|halte)(?:ez|e|er|es|re)?(?: (?:tous|toutes?|les|le|vos|ces|cet|cette|tes|de|la|l|avec|tout|aux?|a|des|lenvoi))* (?:${TEXTS}|harcelement|l?abonnement (?:sms|textos?|aux?|a|par)\\b)`,
  `(?<!\\b(?:il|elle|on|ca|qui|le|la|je|tu|si|quand|bus|sans|cet|un|dernier|prochain) )\\barrete[zs]?(?: (?:ca|tout|donc|la))?${COURTESY}$`,
  `\\b(?:dire|dit|dis|demande|demander|repete|repeter)\\b.{0,20} (?:de |d)(?:arreter|cesser)${COURTESY}$`,
  // retirez-moi, merci de me retirer, oubliez mon numero
  `(?<!\\bne )\\b(?:retir|enlev|supprim|ot|effac|sort|ray|desinscri|desabonn|debarqu)(?:ez|e|s|es|ve|vez) (?:moi|nous)(?=$| (?:svp|stp|sil|merci|de|d|la|tout|maintenant|immediatement|des|du)\\b)${OTHER_PAPERS}`,
  `(?<!\\b(?:pas|plus|ne|jamais) )\\bme (?:retirer|enlever|supprimer|effacer|rayer|oter|sortir)(?=$| (?:svp|stp|sil|merci|de|d|des|du)\\b)${OTHER_PAPERS}`,
  "\\b(?:etre|soit|sois) (?:retire|enleve|supprime|raye|efface)e?s? (?:de|des) (?:votre|vos|la|cette|ta|toutes?) ?(?:vos )?(?:listes?|base|systeme)",
  `(?<!\\b(?:ne|pas|jai|ai|a|as|avez|je) )\\b(?:retir|enlev|supprim|ot|effac|oubli|perd|ray|jet)(?:ez|e|er|s|re|es) (?:donc )?(?:mon|ce|notre|son) (?:numero|nom|telephone|cell\\w*|contact|no)\\b${OTHER_PAPERS}`,
  "(?<!\\b(?:ne|pas) )\\b(?:retir|enlev|supprim|effac)(?:ez|e|er) mes (?:coordonnees|donnees|informations|infos)\\b",
  "\\b(?:mettez|mets|mettre|inscrivez|inscris|inscrire|ajoutez|ajoute|ajouter|placez|suis) .{0,40}\\b(?:d ?exclusion|non appel|de non|ne (?:pas|plus) (?:r?appeler|contacter|deranger)|lntc)\\b",
  "(?<!\\b(?:pas|plus|jamais) (?:me )?)(?<!\\bne (?:me |nous )?)\\b(?:desabonn|desinscri)\\w*",
  // laissez-moi tranquille
  "(?<!\\bne )\\b(?:laiss|fich|fout|fou|lach|crisse?)(?:e|ez|er|es|s)? (?:moi|nous) (?:donc |tous? )?(?:tranquilles?|la paix|en paix|patience|le camp)\\b|(?<!\\bne )\\blache[zrs]? (?:moi|nous)(?=$| (?:avec|un peu|svp|stp|les?|donc|la|merci))",
  "^(?:(?:non|bon|ok|allez|et|mais) )*degage[zrs]?\\b|\\bdegage[zs]?$|\\ballez (?:vous en|vous faire|au diable|chier|promener|voir ailleurs)\\b|\\bva (?:te faire|chier|au diable|t en)\\b|\\bdecaliss\\w+",
  // plus de messages, ni appels ni textos
  `^(?:(?:svp|stp|non|merci|bonjour|allo|ok|et|sil vous plait|de grace) )*(?:pu|plus|pas|jamais|ni|aucun|fini|assez|stop|halte)(?: (?:de|d|aux?|les|vos|tous|ces|avec|un seul|mes))* ?${TEXTS}(?: (?:ni|et|ou) (?:de |d|aux? )?${TEXTS})?(?: (?:de votre part|de vous|ici|a ce numero|stop|arretez|ca suffit))*${COURTESY}$`,
  // vous n'avez pas la permission, je retire mon consentement
  "\\b(?:navez|nas|nai|navons|avez|ai|a|sans)(?: (?:pas|jamais|plus|aucune?|donne|eu|recu|la|ma|mon|de|le|votre|vous))* (?:permission|consentement|autorisation|droit) (?:de |d|pour )?(?:m|me |nous )?(?:r?appel|contact|ecri|text|envoy|derang|sollicit)",
  "\\b(?:navez|nas|pas donne|jamais donne|jamais eu)(?: (?:pas|jamais|plus|aucune?|la|ma|mon|de))* (?:ma permission|mon consentement|mon autorisation|permission|consentement)\\b|\\bjamais donne (?:mon|ma|de|d)? ?(?:consentement|permission|autorisation|accord)",
  "\\b(?:retire|revoque|annule|enleve)r? (?:(?:ma|mon|tout|toute|le|la) )*(?:permission|consentement|autorisation)\\b",
  // si vous rappelez j'appelle la police
  `\\bsi (?:vous|tu|on|ca) (?:me |m|nous |continuez|continue|narretez|recommencez)(?: (?:a|de|pas|encore))* ?(?:me |m|d)?\\w*.{0,60}\\b(?:plainte|police|avocat|poursui\\w+|denonc\\w+|signal\\w+|bloqu\\w+|crtc)\\b`,
  `\\bsi (?:vous|tu) (?:r?appel|ecri|text|envoy)\\w*.{0,60}\\b(?:plainte|police|avocat|poursui\\w+|denonc\\w+|signal\\w+|bloqu\\w+|crtc)\\b`,
  "\\bmauvais numero\\b",
].map((source) => new RegExp(source));

const DOUBTS: readonly RegExp[] = [
  "^(?:(?:non|et) )*(?:plus jamais|jamais plus)(?: ca)?$",
  "\\bjen ai (?:marre|assez|plein|ras|mon voyage)\\b(?! (?:de|du|des) (?!(?:vos|ces|tes|vous|recevoir|tous)\\b))|^(?:tanne|tannee|ecoeure|ecoeurante?)e?s?(?: de (?:vos|ca|vous)\\b.{0,30})?$",
  "^(?:(?:bon|ok|la|non) )*(?:ca suffit|assez|cest assez|cest trop)(?: (?:maintenant|la|merci|les? \\w+))?$|^ca suffit (?:arret|cess|stop)",
  "^(?:ta gueule|taisez vous|tais toi|arnaqu\\w+|fraude|spam|harcelement|laisse faire)$",
  "\\b(?:vous etes|tes|tu es) (?:vraiment |trop |tres |bien )?(?:fatigants?|harcelants?|tannants?|enervants?|agacants?|achalants?)\\b|\\btrop de (?:messages|textos|appels)\\b|\\bcest du harcelement\\b",
  "^(?:je )?(?:vous|te|ce numero) (?:ai )?bloque(?:z|r)?$|^(?:bloque|signale)e?s?$|\\bje (?:vais vous|vous) (?:bloquer?|signaler?|denoncer?|poursuivre)\\b|\\bporter plainte\\b",
].map((source) => new RegExp(source));

export const isFrenchWish = (folded: string): boolean => WISHES.some((wish) => wish.test(folded));
export const isFrenchDoubt = (folded: string): boolean => DOUBTS.some((doubt) => doubt.test(folded));
