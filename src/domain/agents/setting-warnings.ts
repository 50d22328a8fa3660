import type { Agent, AgentInput } from "./agent.ts";

type Setting = keyof AgentInput;

/** The settings that one kind of agent alone has. */
const OWN_SETTINGS: Record<Agent["agent_type"], readonly Setting[]> = {
  sms: ["drip_schedule", "reply_delay_ms", "max_replies_per_day", "working_hours", "allowed_links"],
  voice: [
    ...(["voice_id", "language", "detect_voicemail", "voicemail_message", "voice_speed", "voice_temperature"] as const),
    ...(["ambient_sound", "ambient_sound_volume", "interruption_sensitivity", "responsiveness"] as const),
    ...(["max_call_duration_ms", "end_call_after_silence_ms", "ring_duration_ms"] as const),
    ...(["boosted_keywords", "record", "recording_disclosure", "transfer_to"] as const),
  ],
};

/** What the built-in agent speaks: the second to those who begin with it. */
const BUILT_IN_LANGUAGES = ["en", "es"];

/**
 * Settings of a request that will not do what they say, a sentence each: those of the other kind of agent, and those that the model which answers here does
 * not heed. `model` says what that one can.
 */
export function settingWarnings(given: object, config: Agent, model: { local: boolean; choosable: boolean }): string[] {
  const isGiven = (name: Setting) => {
    const value = (given as Record<string, unknown>)[name];
    return value !== undefined && value !== null && value !== "";
  };
  const [other, does] = config.agent_type === "sms" ? (["voice", "call"] as const) : (["sms", "text"] as const);
  const warnings = OWN_SETTINGS[other]
    .filter(isGiven)
    .map((name) => `${name} is a setting of agents that ${does}: it was ignored`);
  if (!model.choosable) {
    for (const name of ["model", "temperature"] as const)
      if (isGiven(name)) warnings.push(`${name} has no effect: ${answering(model)}`);
  }
  if (config.agent_type === "voice" && isGiven("language") && model.local) {
    const [language] = config.language.split("-");
    if (!BUILT_IN_LANGUAGES.includes(language!))
      warnings.push(`language ${config.language} has no effect: ${answering(model)}, and speaks English or Spanish`);
  }
  return warnings;
}

const answering = ({ local }: { local: boolean }) =>
  local ? "no language model is configured, so the built-in agent answers" : "the model that is configured answers";
