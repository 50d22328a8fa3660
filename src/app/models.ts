import { dialogEngine } from "#adapters/dialog-engine/engine.ts";
import { warmDialogEngine } from "#adapters/dialog-engine/warm.ts";
import { modelWithBreaker } from "#adapters/language-models/breaker-model.ts";
import { modelWithFallback } from "#adapters/language-models/fallback-model.ts";
import { openAiCompatibleModel } from "#adapters/language-models/openai-compatible.ts";
import type { Config } from "#app/settings/config.ts";
import type { LanguageModel, LanguageModels } from "#ports/language-model.ts";

/** The configured endpoint serves every agent, and a second one where it fails; without one the offline rules do. */
export function modelsOf(config: Config): LanguageModels {
  const model = modelOf(config);
  return { forMode: () => model };
}

function modelOf(config: Config): LanguageModel {
  if (!config.llmBaseUrl) return dialogEngine();
  // Both together get the time of one: a turn's time limit allows no more.
  const timeoutMs = config.llmFallbackBaseUrl ? Math.ceil(config.llmTimeoutMs / 2) : config.llmTimeoutMs;
  const endpoint = (baseUrl: string, model: string, apiKey: string | undefined) =>
    modelWithBreaker(openAiCompatibleModel({ baseUrl, model, timeoutMs, ...(apiKey ? { apiKey } : {}) }));
  const first = endpoint(config.llmBaseUrl, config.llmModel!, config.llmApiKey);
  if (!config.llmFallbackBaseUrl) return first;
  const second = endpoint(config.llmFallbackBaseUrl, config.llmFallbackModel!, config.llmFallbackApiKey);
  return modelWithFallback(first, second);
}

/** What the first answer of a process would wait for, begun before anybody does. A model behind an endpoint has nothing of the kind. */
export function warmModels(config: Config): void {
  if (!config.llmBaseUrl) void warmDialogEngine();
}
