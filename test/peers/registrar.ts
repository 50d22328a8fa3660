import type { Kamailio } from "./kamailio.ts";

/** Who may do what at a registrar of `kamailio`. */
export type RegistrarOptions = {
  /** May call the phones. */
  trunk: { username: string; password: string };
  /** The password by which each phone registers under its number. */
  phones: string;
  /** Numbers that are known and not there: 480. Any other that has not registered is unknown: 404. */
  away?: readonly string[];
  /** Numbers whose busy is reported as a decline: a baresip has no other refusal. */
  declines?: readonly string[];
};

const REALM = "parley.test";

/** Routes of a registrar that phones of this machine register at by digest, and a trunk calls them through, by digest too. It writes down each call. */
export function registrarRoutes({ trunk, phones, away = [], declines = [] }: RegistrarOptions) {
  const isOneOf = (numbers: readonly string[]) =>
    numbers.length === 0 ? "0 == 1" : numbers.map((number) => `$rU == "${number}"`).join(" || ");
  return {
    modules: ["usrloc", "registrar", "xlog"],
    settings: ['modparam("usrloc", "db_mode", 0)', 'modparam("registrar", "max_expires", 600)'],
    routes: `request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) { loose_route(); t_relay(); exit; }
  if (is_method("REGISTER")) {
    if (!pv_www_authenticate("${REALM}", "${phones}", "0")) { www_challenge("${REALM}", "1"); exit; }
    if ($au != $tU) { sl_send_reply("403", "Forbidden"); exit; }
    save("location");
    xlog("L_ALERT", "REGISTERED $tU\\n");
    exit;
  }
  if (!is_method("INVITE")) { sl_send_reply("200", "OK"); exit; }
  # One that is repeated is answered by its transaction.
  t_check_trans();
  if (!pv_proxy_authenticate("${REALM}", "${trunk.password}", "0") || $au != "${trunk.username}") { proxy_challenge("${REALM}", "1"); exit; }
  consume_credentials();
  xlog("L_ALERT", "CALLED $rU $ci\\n");
  if (${isOneOf(declines)}) t_on_failure("DECLINE");
  if (${isOneOf(away)}) { sl_send_reply("480", "Temporarily Unavailable"); exit; }
  if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
  record_route();
  t_relay();
}
failure_route[DECLINE] {
  if (t_check_status("486")) t_reply("603", "Decline");
}
`,
  };
}

/** Who has registered, by what it has written down. */
export const registeredAt = (proxy: Kamailio): Set<string> =>
  new Set([...proxy.said().matchAll(/REGISTERED (\S+)/g)].map(([, number]) => number!));

/** The Call-IDs of the calls to a number, each with how often it was begun. */
export function callsThrough(proxy: Kamailio, number: string): Map<string, number> {
  const calls = new Map<string, number>();
  for (const [, to, id] of proxy.said().matchAll(/CALLED (\S+) (\S+)/g)) {
    if (to === number) calls.set(id!, (calls.get(id!) ?? 0) + 1);
  }
  return calls;
}
