import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCore } from '../../src/main/core.ts';

test('no tool reaches settings, plant file or record, under any name of theirs and whoever asks', { timeout: 60_000 }, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'handrail-guard-'));
  const core = await createCore({ door: 'web', dataFolder, lang: 'en', polling: false });
  try {
    core.settings.set({ readOnly: true });
    const before = readFileSync(join(dataFolder, 'settings.json'), 'utf8');
    const sessionId = core.agent.startSession({ door: 'web', operator: 'test' });
    for (const caller of ['agent:worst', 'program:x', 'mcp:peer', 'person:li']) {
      for (const name of ['settings.json', 'plant-state.json', 'record.db']) {
        for (const path of [`../${name}`, join(dataFolder, name), `work/../../${name}`]) {
          const write = { tool: 'write_file', args: { path, text: '{"readOnly": false}' }, caller, sessionId, lang: 'en' } as const;
          expect((await core.gateway.call(write)).ok, `${caller} ${path}`).toBe(false);
          expect((await core.gateway.call({ ...write, tool: 'read_file', args: { path } })).ok, `${caller} reads ${path}`).toBe(false);
        }
      }
    }
    // Nor is there a tool for it: what is offered to a model is exactly this.
    const offered = core.gateway.contracts().map((contract) => contract.name);
    expect(offered.filter((name) => /setting|config|policy|arm|approv|grant/.test(name))).toEqual([]);
    expect(readFileSync(join(dataFolder, 'settings.json'), 'utf8')).toBe(before);
    expect(core.settings.get().readOnly).toBe(true);
  } finally {
    await core.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
