/** One case that did not come out as its file says. `wrong_value` and `wrong_write` are the two that hurt a plant. */
export type Failure = { id: string; expected: unknown; got: unknown; wrong_value: boolean; wrong_write: boolean; [more: string]: unknown };
export type Outcome = { passed: number; failed: number; failures: Failure[] };
type Kind = { run(files: string[]): Promise<Outcome> };

const kinds: Record<string, () => Promise<Kind>> = {
  'line-faults': () => import('./lineFaults.ts'),
  intents: () => import('./intents.ts'),
  'tool-calls': () => import('./toolCalls.ts'),
  ollama: () => import('./ollama.ts'),
  sandbox: () => import('./sandbox.ts'),
};

/** Runs the cases of the files; a JSON line for each failure, then `N passed, N failed`. Returns the exit code: 1 for failures or wrong usage. */
export async function runCases([kind, ...files]: string[]): Promise<number> {
  const load = kind === undefined ? undefined : kinds[kind];
  if (!load || files.length === 0) {
    console.error(
      load ? `eval ${kind}: name at least one case file.` : `eval: unknown kind "${kind ?? ''}". Kinds: ${Object.keys(kinds).join(', ')}.`,
    );
    return 1;
  }
  const { passed, failed, failures } = await (await load()).run(files);
  for (const failure of failures) console.log(JSON.stringify(failure));
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
