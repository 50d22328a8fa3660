/**
 * The environment of a process of ours that a test starts: the machine's, without our own settings, which are the test's to
 * choose, and without what a test runner sets for its children.
 * It stays the user that the test is, since both write in one folder: started by root it would go on as another wherever that user can read
 * the checkout (test/acceptance/system/as-root.test.ts is about that).
 */
export function processEnv(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ofTheMachine = Object.entries(process.env).filter(
    ([name]) => !/^(PARLEY_|DATABASE_URL$|PORT$|NODE_OPTIONS$|NODE_TEST)/.test(name),
  );
  return { ...Object.fromEntries(ofTheMachine), PARLEY_USER: "root", ...settings };
}
