import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCore } from '../../../src/main/core.ts';
import type { EventPayloads } from '../../../src/shared/contracts/record.ts';
import { createRig } from '../../harness/gatewayRig.ts';

test('a read while the plant is polled has its own frames on record, never those of a poll', { timeout: 60_000 }, async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'handrail-frames-'));
  const core = await createCore({ door: 'web', dataFolder, lang: 'en', polling: true });
  try {
    const sessionId = core.agent.startSession({ door: 'web', operator: 'test' });
    await expect.poll(() => core.devices.recentFrames().length, { timeout: 30_000 }).toBeGreaterThan(0); // it polls
    const transactions = new Set<string>();
    for (let i = 0; i < 10; i++) {
      const call = { tool: 'tag_read', args: { tags: ['boiler_temp'] }, caller: 'person:test', sessionId, lang: 'en' } as const;
      const { call_id, result } = await core.gateway.call(call);
      const event = core.record.events(sessionId).find((e) => e.kind === 'frames' && e.call === call_id);
      const { frames } = JSON.parse(event!.payload) as EventPayloads['frames'];
      expect(frames.map((f) => f.direction)).toEqual(['tx', 'rx']);
      const [asked, answered] = frames.map((f) => f.hex);
      expect(answered!.slice(0, 4)).toBe(asked!.slice(0, 4)); // the transaction number of its own question
      transactions.add(asked!.slice(0, 4));
      // The value shown is the one in the frame.
      const raw = (result as { readings: { raw: number[] }[] }).readings[0]!.raw;
      expect(answered!.slice(-4 * raw.length)).toBe(raw.map((word) => word.toString(16).padStart(4, '0')).join(''));
    }
    expect(transactions.size).toBe(10);
  } finally {
    await core.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
});

test('frames beyond the first 64 of a call are counted on record, not left out silently', async () => {
  const rig = await createRig({
    tools: (deps) => [
      {
        contract: {
          name: 'sweep',
          title: { en: 'Sweep', zh: '扫读' },
          description: { en: 'Reads often.', zh: '多次读取。' },
          parameters: { type: 'object', properties: {}, additionalProperties: false },
          returnSchema: { type: 'object' },
          executionTimeoutMs: 3000,
          isDeterministic: false,
          effect: 'read',
          fallback: 'none',
          undo: 'none',
        },
        async run() {
          for (let i = 0; i < 40; i++)
            await deps.devices.request({ connection: 'net', unitId: 1, functionCode: 3, address: 0, quantity: 1, priority: 'agent' });
          return {};
        },
      },
    ],
  });
  try {
    const answer = await rig.call('sweep', {});
    expect(answer.error).toBeNull();
    const [event] = rig.events().filter((e) => e.kind === 'frames');
    expect((event!.payload['frames'] as unknown[]).length).toBe(64);
    expect(event!.payload['dropped']).toBe(16);
  } finally {
    await rig.close();
  }
});
