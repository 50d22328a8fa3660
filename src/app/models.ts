import { offlineModel } from "#adapters/language/offline/offline.ts";
import { openAiCompatibleModel } from "#adapters/language/openai-compatible/openai-compatible.ts";
import { modelWithBreaker } from "#adapters/language/selection/breaker-model.ts";
import { modelWithFallback } from "#adapters/language/selection/fallback-model.ts";
import type { LanguageModel, LanguageModels } from "#ports/language-model.ts";
import type { Config } from "./config.ts";

/** The configured endpoint thinks for every agent, and a second one where it fails; without one the offline rules do. */
export function modelsOf(config: Config): LanguageModels {
  const model = modelOf(config);
  return { forMode: () => model };
}

function modelOf(config: Config): LanguageModel {
  if (!config.llmBaseUrl) return offlineModel();
  // Together they may take as long as one alone, for which the turn has its time.
  const timeoutMs = config.llmFallbackBaseUrl ? Math.ceil(config.llmTimeoutMs / 2) : config.llmTimeoutMs;
  const endpoint = (baseUrl: string, model: string, apiKey: string | undefined) =>
    modelWithBreaker(openAiCompatibleModel({ baseUrl, model, timeoutMs, ...(apiKey ? { apiKey } : {}) }));
  const first = endpoint(config.llmBaseUrl, config.llmModel!, config.llmApiKey);
  if (!config.llmFallbackBaseUrl) return first;
  const second = endpoint(config.llmFallbackBaseUrl, config.llmFallbackModel!, config.llmFallbackApiKey);
  return modelWithFallback(first, second);
}
