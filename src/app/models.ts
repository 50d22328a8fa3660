import { offlineModel } from "#adapters/language/offline/offline.ts";
import { openAiCompatibleModel } from "#adapters/language/openai-compatible/openai-compatible.ts";
import type { LanguageModels } from "#ports/language-model.ts";
import type { Config } from "./config.ts";

/** The configured endpoint thinks for every agent; without one the offline rules do. */
export function modelsOf(config: Config): LanguageModels {
  const model = config.llmBaseUrl
    ? openAiCompatibleModel({
        baseUrl: config.llmBaseUrl,
        model: config.llmModel!,
        timeoutMs: config.llmTimeoutMs,
        ...(config.llmApiKey ? { apiKey: config.llmApiKey } : {}),
      })
    : offlineModel();
  return { forMode: () => model };
}
