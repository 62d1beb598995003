import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../eval/ollama.ts';

// Every scenario goes through the real loop, gateway and simulated plant; `own` holds the ones we wrote to be nasty.
const folder = fileURLToPath(new URL('../fixtures/ollama/', import.meta.url));
const files = [...readdirSync(folder), ...readdirSync(`${folder}own`).map((f) => `own/${f}`)].filter((f) => f.endsWith('.json'));

// One after another: five labs at once starve each other on a slow machine, and the loop's real fuses then fire.
test.each(files)('the Ollama scenario %s comes out as it says', async (file) => {
  const { failures } = await run([`${folder}${file}`]);
  expect(failures).toEqual([]);
});

test('no scenario was lost', () => {
  expect(files.length).toBeGreaterThanOrEqual(61);
});
