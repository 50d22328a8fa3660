// npm run lint: every regular expression that other people's text meets takes time that grows as the text does, and no faster.
import { dirname } from "node:path";
import { regexpProblems } from "./regexps/problems.ts";

const problems = await regexpProblems(dirname(import.meta.dirname));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error("A text can hold the process at these. Make the time linear: docs/threat-model.md says how.");
  process.exitCode = 1;
}
