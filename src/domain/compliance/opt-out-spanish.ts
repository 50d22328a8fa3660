/** Wishes to be left alone in Spanish, matched against a folded sentence: `¿Quítenme?` is `quitenme`. */

/** Their stems, for any ending: llame, llamen, llames, llamar, llamarme. */
const VERB =
  "(?:llam|escrib|contact|molest|text|mensaj|marqu|marc|habl|busqu|busc|mand|envi|fastidi|acos|comuni[cq]|insist|timbr)\\w*\\b";
const TEXTS =
  "(?:mensajes|mensajitos|textos|sms|llamadas|notificaciones|promociones|publicidad|propaganda|correos|alertas|ofertas|anuncios|spam)";
const FILLERS =
  "(?: (?:a|con|de|por|todos?|todas?|los|las|sus?|tus?|estos?|estas?|esos?|esas?|el|la|ya|envio|recibir|tener|ver|mas|otros?|otras?|ningun|ninguna|tantos|tantas|ni|nada))*";
const LIST =
  "(?:listas?|base|sistema|registros?|grupo|mensajes|textos|llamadas|sms|campanas?|boletin|esto|eso|aqui|ahi|todo)";
const NUMBER = "(?:numero|telefono|celular|cel|contacto|nombre|datos|informacion|linea)";
/** Another time, another way or another thing: no wish to hear nothing. */
const NOT_LATER =
  "(?!(?: (?:por favor|porfa))? (?:antes|hasta|despues|hoy|manana|ahora|ahorita|tan|entre|durante|todavia|aun|cuando|en la (?:manana|noche|tarde)|por la (?:manana|noche|tarde)|los (?:lunes|martes|miercoles|jueves|viernes|sabados|domingos|fines)|el (?:lunes|martes|miercoles|jueves|viernes|sabado|domingo|fin)|al trabajo|en el trabajo)\\b)(?!(?:(?! (?:mas|nunca|jamas)\\b).){0,80} (?:mejor|sino|solo|solamente|prefiero) )";
const OTHER_PAPERS =
  "(?! (?:\\w+ )?(?:facturas?|cobros?|cargos?|recibos?|estados?|paquetes?|cartas?|cheques?|pagos?|dinero|pedidos?)\\b)";
/** Behind an imperative that has no `me`: nothing that it could be about. */
const ALONE =
  "(?=$| (?:mas|nunca|jamas|aqui|aca|ya|otra vez|de nuevo|por favor|porfa\\w*|gracias|ni|y no|o|nada|a (?:este|mi|esta|mis) |este (?:numero|telefono)|por ningun))";
const LATER_ON = "(?<!\\b(?:despues|luego|tarde|adelante|dia) (?:\\w+ ){0,3})";

const WISHES: readonly RegExp[] = [
  "^(?:(?:por favor|ya|favor|le|pido|no|gracias|porfa) )*no (?:quiero )?mas(?: (?:mensajes|mensaje|textos|texto|llamadas|por favor|porfa|gracias|ya))*$",
  // no me escriban, ya no nos llamen, nunca mas me escriban, no vuelvan a llamar
  `\\b(?:no|nunca|jamas|nunca mas) (?:me|nos) (?:(?:vuelv\\w+ a|sig\\w+|est\\w+) )?${VERB}${NOT_LATER}${OTHER_PAPERS}`,
  `\\b(?:no|nunca|jamas)(?: mas)? (?:vuelv(?:an?|as)|volver) a ${VERB}${NOT_LATER}`,
  `\\bno sig(?:an?|as) (?:llam|escrib|mand|envi|molest|text)\\w*\\b${NOT_LATER}`,
  `\\b(?:no|nunca|jamas)(?: mas)? (?:llam(?:en?|es)|escrib(?:an?|as)|molest(?:en?|es)|contact(?:en?|es)|texte(?:en?|es)|marqu(?:en?|es)|insist(?:an?|as)|jod(?:an?|as)|fastidi(?:en?|es)|mand(?:en?|es)|envi(?:en?|es))${ALONE}${NOT_LATER}`,
  `\\bno (?:mand|envi)(?:en?|es|ar)${FILLERS} ${TEXTS}\\b${NOT_LATER}`,
  `(?:^|\\b(?:favor de|por favor|porfa|pido|ruego|pedi|dije|solicito) (?:que )?)no (?:llamar|escribir|contactar|molestar|enviar|mandar|textear)(?:me|nos)?\\b${ALONE}${NOT_LATER}`,
  `\\b(?:dej|deje|dejen|deja|dejar|dejes|dejense|pare|paren|parar|cesen?)(?:me|nme)? de (?:envi|mand|escrib|llam|molest|contact|text|acos|insist|fastidi|jod|spam|marc|hablar)\\w*\\b${OTHER_PAPERS}`,
  `\\bpara de (?:envi|mand|escrib|llam|molest|contact|text|acos)\\w*\\b${OTHER_PAPERS}`,
  `\\bdejar de recibir${FILLERS} ${TEXTS}\\b`,
  "\\bdej(?:e|en|a)(?:me|nme|nos|nnos) (?:ya )?(?:en paz|tranquil\\w*)|\\bdej(?:e|en|a) en paz\\b",
  // no quiero recibir estos mensajes, no quiero que me llamen, preferiria no recibir mas
  `\\bno (?:quiero|quisiera|deseo|queremos|deseamos|me gustaria|necesito|acepto|autorizo|pedi|solicite)${FILLERS} ${TEXTS}\\b`,
  `\\bno (?:quiero|quisiera|deseo|queremos|deseamos|autorizo|permito)(?: a)? que (?:me|nos|se) (?:\\w+ a )?(?:sigan |esten )?${VERB}${NOT_LATER}`,
  "\\bno (?:quiero|quisiera|deseo|queremos|deseamos) (?:ser (?:contactad|llamad|molestad)[oa]s?|saber (?:nada |mas |nada mas )?de (?:ustedes|usted|uds|ti)|recibir (?:nada|mas|esto)|estar en (?:su|la|esta|ninguna|sus|tu))\\b",
  `\\bpref(?:eriria|iero|eririamos|erimos) (?:que )?no (?:recibir|ser contact|(?:me|nos) ${VERB})(?! (?:llamadas|textos|mensajes) (?:sino|solo|antes))${NOT_LATER}`,
  // quiteme de la lista, borre mi numero, quiero salir de la lista
  "(?<!\\bno )\\b(?:quit|saqu|sac|borr|elimin|remuev|baj|retir|tach)(?:e|a|en|ar)(?:me|nme|nos|nnos)(?:$| (?:ya|por favor|porfa\\w*|gracias|inmediatamente)\\b| (?:de|del) (?!(?:la |el |mi |una? )*(?:cita|hipoteca|contrato|reunion|pedido|poliza|seguro|cuenta|titulo)))",
  `(?<!\\b(?:no|no me|me|le|se) )\\b(?:quit|borr|elimin|remuev|remov|saqu|sac|retir|suprim|cancel)(?:e|en|a|ar|er|es) (?:ya )?(?:mi|mis|este|ese|su|nuestro) ${NUMBER}\\b(?! (?:(?:de|del) (?:la |el |mi )?(?:cita|pedido|orden|contrato|hipoteca)|anterior|viejo|antiguo))`,
  `(?<!\\bno )\\b(?:pierd(?:an?|e|as)|olvid(?:en|ense de|ate de|ese de)|tiren?) (?:mi|este) ${NUMBER}\\b`,
  `(?<!\\bno )\\b(?:salir(?:me)?|fuera|bajarme|(?:sacar|quitar|borrar|eliminar)(?:me|nos)|(?<!\\bno )me (?:saquen?|quiten?|borren?|eliminen?)) (?:de|del) (?:(?:su|sus|la|las|esta|estas|tu|esa|el|los|este|estos|todas?) )*${LIST}\\b`,
  `${LATER_ON}\\b(?:dar|de|den|deme|denme|denos|dame|darme|darnos|darse|dense|quiero la|doy) (?:de )?baja\\b(?! (?:de|del|en|por) (?!(?:(?:la|las|los|el|su|sus|tu|tus|este|esta|estos|estas|toda|todas|todo|favor|mi) )*(?:${LIST}|${TEXTS}|suscripcion|numero|servicio de mensajes|favor|ustedes)\\b))`,
  "\\b(?:cancelar|cancele|cancelen|anular|anulen|terminar) (?:la |mi |esta )?su(?:b)?scripcion(?: a (?:los |estos |sus )?(?:mensajes|textos|sms))?$|\\bnumero equivocado\\b|\\bde(?:s|sub)?suscri\\w*|\\bdessuscri\\w*",
  // terminen con los mensajes, fin a los mensajes
  `(?<!\\bno (?:me )?)\\b(?:cancel(?:ar|en?|a|o|es)|termin(?:ar|en?|es)|det(?:ener|engan?|en|enga)|suspend(?:er|an?|e)|fin|alto|stop|basta|pare|paren|parar|cesen?|acab(?:ar|en))${FILLERS} ${TEXTS}\\b${NOT_LATER}`,
  "\\bcancel(?:a|e|en) todo(?=$| (?:y no|por favor|ya))",
  // no tienen permiso, revoco mi consentimiento
  "\\bno (?:tienen?|tienes|les doy|le doy|doy|cuentan? con|he dado|di|les di|autorice)(?: (?:mi|mis|el|ningun|ni|nunca))* (?:permiso|consentimiento|autorizacion)\\b",
  "\\b(?:revoco|revoca|retiro|cancelo|anulo|quito|revocar|retirar)(?: (?:mi|el|la|todos?|cualquier))* (?:permiso|consentimiento|autorizacion)\\b",
  `\\bno (?:autorizo|consiento)(?:$| (?:esto|esta|estos|estas|que|a que|el contacto|contacto|${TEXTS}))`,
  "\\blista (?:de )?no (?:llam|molest|contact)\\w*|\\blista de exclusion\\b",
  // si vuelve a llamar lo denuncio
  `\\bsi (?:\\w+ )?(?:vuelv\\w+ a|siguen?|sigues|insist\\w+)\\b.{0,80}\\b(?:denunci\\w+|demand(?:o|are|amos)|policia|abogado|report(?:o|are|arlos)|bloque\\w+)`,
  `\\bsi (?:me|nos) ${VERB} (?:otra vez|de nuevo|mas)\\b.{0,80}\\b(?:denunci\\w+|demand(?:o|are|amos)|policia|abogado|report(?:o|are|arlos)|bloque\\w+)`,
  `^(?:por favor |ya )?ni ${TEXTS} ni ${TEXTS}\\b`,
  `\\b(?:denunci\\w+|demand(?:o|are|arlos|arte)|policia|abogado|report(?:o|are|arlos)|bloque\\w+)\\b.{0,60}\\bsi (?:\\w+ )?(?:vuelv\\w+ a|sig\\w+|insist\\w+)`,
  "\\b(?:vete|vayan?se|andate|larg(?:ate|uense|uese)|que se vayan)(?: (?:a la|al|pa la|de aqui|ya)\\b.{0,12})?$|\\b(?:vete|vayan?se|andate) (?:a la|al) (?:mierda|carajo|diablo|infierno|chingada|verga|porra|demonio|cuerno)|\\bchinga\\w* (?:a )?(?:tu|su) madre\\b",
  `\\b(?:numero|telefono)\\b.{0,60}\\b(?:borr|elimin|quit|saqu)(?:e|en|a)(?:n?lo|n?los)\\b`,
].map((source) => new RegExp(source));

const DOUBTS: readonly RegExp[] = [
  "^(?:(?:no|ya|por favor|pues) )*(?:nunca|jamas)(?: (?:mas|jamas|otra vez))?$",
  "\\b(?:estoy|estamos|me tienen|nos tienen|ya me|me) (?:muy |ya |bien |tan )?(?:hart|cansad)(?:o|a|os|as|aron)?\\b(?! (?:de|del) (?!(?:(?:los|las|sus|tus|estos|estas|tantos|tantas|que me) )*(?:mensajes|textos|llamadas|llam|mand|escrib|ustedes|esto)))",
  "\\b(?:demasiad[oa]s|muchos|muchas|tantos|tantas) (?:mensajes|textos|llamadas)\\b",
  "^(?:ya )?(?:los|lo|te|la|les|este numero) (?:voy a )?(?:bloque|report|denunci)\\w+$|^(?:reportad|bloquead|denunciad)[oa]s?$",
  "^(?:ya )*(?:basta|estuvo|estuvo bueno|es suficiente)(?: ya)?$",
  "\\b(?:que )?(?:molest|fastidios|pesad)[oa]s (?:son|es)$|^son (?:muy |bien |tan )?(?:molest|fastidios|pesad)[oa]s$|^(?:callate|callese|callense|spam|estafa|estafadores)$",
  "\\bya (?:les|le|te) (?:dije|dijimos|he dicho) que no$|\\b(?:siempre|otra vez|a cada rato) (?:me )?(?:llaman|escriben|mandan)$",
].map((source) => new RegExp(source));

export const isSpanishWish = (folded: string): boolean => WISHES.some((wish) => wish.test(folded));
export const isSpanishDoubt = (folded: string): boolean => DOUBTS.some((doubt) => doubt.test(folded));
