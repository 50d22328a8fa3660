import type { CallReport } from "./report.ts";

/** What the parts of a call cost, in US dollars as domain/messaging/price.ts has them. 0 where a part is done by this machine. */
export type CallPrices = {
  /** Each minute from the answer on; one that has begun is paid whole, as carriers bill. */
  carrierMinute: string;
  /** Each minute of sound that was transcribed, by the millisecond. */
  speechToTextMinute: string;
  voiceThousandCharacters: string;
  modelMillionInput: string;
  modelMillionOutput: string;
};

/** Dollars with two to six decimals. `total` is the sum of the others. */
export type CallCost = { total: string; carrier: string; transcription: string; voice: string; model: string };

const MICROS = 1_000_000n;
const MINUTE_MS = 60_000;

/** What a call cost, exactly to a millionth of a dollar in each part. A call that was not answered costs what its speech-to-text, voice and model did: nothing. */
export function callCost(
  { durationMs, usage }: Pick<CallReport, "durationMs" | "usage">,
  prices: CallPrices,
): CallCost {
  const carrier = parts(Math.ceil(durationMs / MINUTE_MS), prices.carrierMinute, 1);
  const speechToText = parts(usage.speechToTextMs, prices.speechToTextMinute, MINUTE_MS);
  const voice = parts(usage.voiceCharacters, prices.voiceThousandCharacters, 1_000);
  const model = modelMicros(usage, prices);
  return {
    total: dollars(carrier + speechToText + voice + model),
    carrier: dollars(carrier),
    transcription: dollars(speechToText),
    voice: dollars(voice),
    model: dollars(model),
  };
}

/** What the tokens of a model cost: dollars with two to six decimals. */
export function modelCost(
  usage: Pick<CallReport["usage"], "inputTokens" | "outputTokens">,
  prices: Pick<CallPrices, "modelMillionInput" | "modelMillionOutput">,
): string {
  return dollars(modelMicros(usage, prices));
}

/** The sum of dollars with at most six decimals each. */
export const sumOf = (amounts: readonly string[]): string =>
  dollars(amounts.reduce((sum, amount) => sum + parts(1, amount, 1), 0n));

const modelMicros: (...args: Parameters<typeof modelCost>) => bigint = (usage, prices) =>
  parts(usage.inputTokens, prices.modelMillionInput, 1_000_000) +
  parts(usage.outputTokens, prices.modelMillionOutput, 1_000_000);

/** Millionths of a dollar for `count` pieces at a price for `each` of them, to the nearest. */
function parts(count: number, price: string, each: number): bigint {
  const [whole, decimals = ""] = price.split(".");
  const micros = BigInt(whole!) * MICROS + BigInt(decimals.padEnd(6, "0"));
  const divisor = BigInt(each);
  return (micros * BigInt(Math.max(0, Math.round(count))) + divisor / 2n) / divisor;
}

function dollars(micros: bigint): string {
  const rest = String(micros % MICROS).padStart(6, "0");
  return `${micros / MICROS}.${rest.slice(0, 2)}${rest.slice(2).replace(/0{1,4}$/, "")}`;
}
