import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import type { FieldKind } from "#domain/agents/field-kind.ts";

/** A field with how to recognise its answer and how to ask for it. */
export type Slot = {
  field: ExtractionField;
  kind: FieldKind;
  /** Three wordings; the first is asked first. */
  questions: readonly string[];
  spanish: readonly string[];
  /** The words of its name, three letters and more. */
  words: readonly string[];
  /** The stems of its name and its description that mean something: `own`, `home`. */
  stems: ReadonlySet<string>;
  /** It is asked for only where another field has this value: the amount a month, if it is a plan. */
  only?: { field: string; value: string };
};
