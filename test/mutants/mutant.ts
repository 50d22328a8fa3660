export type Mutant = {
  id: string;
  /** What is broken, and what it would cost. */
  breaks: string;
  file: string;
  /** Stands in the file once, so that it is plain what was broken. */
  from: string;
  to: string;
  /** Test files of which at least one has to fail; `simulation` is seeds of that. */
  suites: readonly string[];
};
