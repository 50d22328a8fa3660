import { compileTemplate, requiredVariables } from "#domain/messaging/template.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Templates } from "./text-decision.ts";

/** Versions of agents never change, so what was compiled stays right; this only bounds the memory. */
const MAX_COMPILED = 1_000;
const compiled = new Map<string, Templates>();

type Wording = { starting_message?: unknown; drip_schedule?: unknown };
type Drip = { day: number; message: string };

/** The templates of one version of an agent. Step n of a thread is the n-th drip by day. */
export function templatesOf(agentId: Uuid, version: number, config: Wording): Templates {
  const key = `${agentId} ${version}`;
  const known = compiled.get(key);
  if (known) return known;
  const templates = {
    starting: compileTemplate(String(config.starting_message ?? "")),
    drips: dripsOf(config).map(({ day, message }) => ({ day, render: compileTemplate(message) })),
  };
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, templates);
  return templates;
}

/** The drips of an agent's configuration in the order in which they are sent. */
export function dripsOf(config: Wording): Drip[] {
  return [...((config.drip_schedule as Drip[] | undefined) ?? [])].sort((a, b) => a.day - b.day);
}

/** The fields that an agent's texts need, each once: those that stand in one of them without a fallback. */
export function variablesOf(config: Wording): string[] {
  const texts = [String(config.starting_message ?? ""), ...dripsOf(config).map(({ message }) => message)];
  return [...new Set(texts.flatMap(requiredVariables))];
}
