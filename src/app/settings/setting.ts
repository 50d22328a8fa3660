import { isIP } from "node:net";
import { trimEndOf } from "#domain/values/trim-end.ts";

/** One setting of the environment. `parse` turns its text into a value, or throws a SettingProblem. */
export type Setting<T> = {
  readonly name: string;
  /** As it would be written in the environment; undefined: unset is allowed and the value is undefined. */
  readonly default: string | undefined;
  /** Never printed in full, and readable from the file that `NAME_FILE` names. */
  readonly secret: boolean;
  readonly parse: (text: string) => T;
  /** One line for docs/configuration.md and .env.example, which a test compares with this table. */
  readonly description: string;
};

/** What is wrong with a value; reads on from the setting's name: "must be ...". */
export class SettingProblem extends Error {}

export type Parse<T> = (text: string) => T;

export const preset = <T>(name: string, text: string, parse: Parse<T>, description: string): Setting<T> => ({
  name,
  default: text,
  secret: false,
  parse,
  description,
});

export const optional = <T>(name: string, parse: Parse<T>, description: string): Setting<T | undefined> => ({
  name,
  default: undefined,
  secret: false,
  parse,
  description,
});

export const secret = (name: string, parse: Parse<string>, description: string): Setting<string | undefined> => ({
  name,
  default: undefined,
  secret: true,
  parse,
  description,
});

export function matching(pattern: RegExp, form: string): Parse<string> {
  return (text) => {
    if (!pattern.test(text)) throw new SettingProblem(`must be ${form}`);
    return text;
  };
}

/** Texts that keys are derived from, the newest last. */
export function sealingKeyList(text: string): readonly string[] {
  const keys = text.split(",").map((key) => key.trim());
  if (keys.some((key) => !/^\S{32,200}$/.test(key)) || new Set(keys).size < keys.length) {
    throw new SettingProblem("must be keys of 32 to 200 characters without spaces, each once, separated by commas");
  }
  return keys;
}

export function integer(min: number, max: number): Parse<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new SettingProblem(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

export function decimal(min: number, max: number): Parse<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) {
      throw new SettingProblem(`must be a number from ${min} to ${max}`);
    }
    return value;
  };
}

export function oneOf<const T extends string>(...choices: T[]): Parse<T> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new SettingProblem(`must be one of ${choices.join(", ")}`);
    return choice;
  };
}

export function listOf<const T extends string>(...choices: T[]): Parse<readonly T[]> {
  const one = oneOf(...choices);
  return (text) => Object.freeze([...new Set(text.split(",").map((item) => one(item.trim())))]);
}

const isNetwork = (text: string): boolean => {
  const [address, bits, more] = text.split("/") as [string, string | undefined, string | undefined];
  const version = isIP(address);
  if (version === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};

/**
 * Addresses and networks, separated by commas. A mere number of proxies is not enough: a client that bypasses them could forge the headers.
 */
export const networks: Parse<readonly string[]> = (text) => {
  const all = text.split(",").map((part) => part.trim());
  if (!all.every(isNetwork)) throw new SettingProblem("must be addresses and networks such as 10.0.0.0/8");
  return Object.freeze(all);
};

/** Names, addresses and networks of hosts, separated by commas. */
export const hostList: Parse<readonly string[]> = (text) => {
  const all = text.split(",").map((part) => part.trim());
  const isHost = (part: string) => isNetwork(part) || (/^(?=.*[a-z])[\w.-]{1,253}$/i.test(part) && isIP(part) === 0);
  if (!all.every(isHost)) throw new SettingProblem("must be host names, addresses and networks such as 10.0.0.0/8");
  return Object.freeze(all);
};

/** An address without a trailing slash, so that paths can be appended to it. */
export const httpUrl: Parse<string> = (text) => {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new SettingProblem("must be an http:// or https:// address without credentials, query or fragment");
  }
  return trimEndOf(text, "/");
};

/** What a carrier may be reached by. */
const CARRIER_SCHEMES = /^(https?|smpps?|sips?):$/;

/** Host to base address, such as `{"api.twilio.com": "http://127.0.0.1:9901"}`. Printed as the JSON that it was. */
export const hostAddresses: Parse<Readonly<Record<string, string>>> = (text) => {
  const wrong = new SettingProblem('must be JSON such as {"api.twilio.com": "http://127.0.0.1:9901"}');
  let hosts: unknown;
  try {
    hosts = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof hosts !== "object" || hosts === null || Array.isArray(hosts)) throw wrong;
  const read = Object.entries(hosts).map(([host, address]) => {
    const url = typeof address === "string" ? URL.parse(address) : null;
    if (url === null || !CARRIER_SCHEMES.test(url.protocol) || url.username || url.search || url.hash) {
      throw new SettingProblem(`must have an address without credentials, query or fragment for ${host}`);
    }
    return [host, trimEndOf(address as string, "/")] as const;
  });
  const known = Object.fromEntries(read);
  Object.defineProperty(known, "toString", { value: () => JSON.stringify(known) });
  return Object.freeze(known);
};

export const postgresUrl: Parse<string> = (text) => {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new SettingProblem("must be a postgres:// address");
  }
  return text;
};

export const anyText = matching(/^.+$/s, "a text");

/** The longest delay that Node's timers accept; longer than any wait here. */
export const MAX_MS = 2_147_483_647;
