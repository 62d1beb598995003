import { expect, test } from 'vitest';
import { resultText } from '../../src/main/agent/resultText.ts';
import { contract, emptyWorld, okResult } from '../../src/main/agent/testDoubles.ts';
import { buildPrompt } from '../../src/main/model/prompt/build.ts';
import type { PlanInput } from '../../src/shared/contracts/agent.ts';

test('a result that the loop would not show whole brings the program in at the next step, one that it shows does not', () => {
  const way = (rows: number): string | null => {
    const readings = Array.from({ length: rows }, (_, i) => ({ tag: `t${i}`, value: i / 7, quality: 'good' }));
    const text = 'what is t1?';
    const input: PlanInput = {
      sessionId: 's',
      turnId: 't',
      lang: 'en',
      text,
      transcript: [
        { role: 'user', content: text },
        { role: 'assistant', content: '', calls: [{ callId: 'c1', tool: 'tag_read', args: {} }] },
        { role: 'tool', callId: 'c1', tool: 'tag_read', content: resultText(okResult('c1', { readings })) },
      ],
      results: [],
      tools: [contract('tag_read', 'read'), contract('execute', 'execute')],
      world: emptyWorld,
      armedDevices: [],
      replanReason: null,
      attempt: 0,
    };
    return buildPrompt(input, { numCtx: 32_768, numPredict: 1024, nativeTools: true, fenceId: 'f' }).way;
  };
  expect(way(3)).toBe('direct');
  expect(way(900)).toBe('program');
});
