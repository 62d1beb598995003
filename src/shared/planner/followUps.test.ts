import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { interpret } from './index.ts';
import type { Interpretation, World } from './types.ts';

const world = JSON.parse(readFileSync(new URL('../../../test/fixtures/intents/world.json', import.meta.url), 'utf8')) as World;

/** The last meaning of a conversation, each request read with the one before it. */
function after(...texts: string[]): string {
  let last: Interpretation | null = null;
  for (const text of texts) last = interpret(text, world, { last });
  return `${last!.intent} ${JSON.stringify(last!.params)}${last!.needs_clarification ? ` asks ${last!.reason}` : ''}`;
}

describe('a request that leans on the one before', () => {
  test.each([
    [['pump 1 frequency', 'and pump 2?'], 'tag_read {"tags":["pump2_freq"]}'],
    [['1号泵频率多少', '2号泵呢'], 'tag_read {"tags":["pump2_freq"]}'],
    [['pump 1 frequency', 'set it to 30'], 'tag_write {"tag":"pump1_freq","value":30}'],
    [['把1号泵频率设为30', '再加2'], 'tag_write {"tag":"pump1_freq","delta":2}'],
    [['把锅炉温度设定值改成150', '再加2度'], 'tag_write {"tag":"boiler_temp_sp","delta":2}'],
    [['启动1号泵', '把它停了'], 'tag_write {"tag":"pump1_run","value":false}'],
    [
      ['plot boiler temp for the last hour', 'and yesterday?'],
      'trend {"tags":["boiler_temp"],"from":"2026-03-17T00:00:00","to":"2026-03-18T00:00:00"}',
    ],
    [['read registers 0-9 of slave 1', 'and unit 2?'], 'modbus_read {"unit":2,"table":"holding","address":0,"count":10}'],
    [['read registers 0-9 of slave 1', 'what about coils'], 'modbus_read {"unit":1,"table":"coil","address":0,"count":10}'],
    [['把1号泵频率设为30', '改回去'], 'undo {"steps":1}'],
  ])('%j', (texts, meaning) => {
    expect(after(...texts)).toBe(meaning);
  });

  test('a question after a change reads the other thing and does not change it', () => {
    expect(after('启动1号泵', '2号泵呢')).toBe('tag_read {"tags":["pump2_run"]}');
    expect(after('set pump 1 frequency to 30', 'and pump 2?')).toBe('tag_read {"tags":["pump2_freq"]}');
  });

  test('without anything before, it asks', () => {
    for (const text of ['and pump 2?', '再加2度', 'set it to 30', '把它停了']) expect(after(text)).toBe('unknown {} asks no_antecedent');
  });
});

describe('a correction', () => {
  test.each([
    [['把1号泵频率设为30', '不对，是2号泵'], 'tag_write {"tag":"pump2_freq","value":30}'],
    [['set pump 1 frequency to 30', 'no, 2号'], 'tag_write {"tag":"pump2_freq","value":30}'],
    [['set pump 1 frequency to 30', 'no, 35'], 'tag_write {"tag":"pump1_freq","value":35}'],
    [['set pump 1 frequency to 30', 'no, 70'], 'tag_write {"tag":"pump1_freq","value":70} asks out_of_range'],
  ])('%j', (texts, meaning) => {
    expect(after(...texts)).toBe(meaning);
  });
});

describe('an answer to a question asked back', () => {
  test.each([
    [['set pump frequency to 30', 'pump 2'], 'tag_write {"value":30,"tag":"pump2_freq"}'],
    [['set pump frequency to 30', 'pump2_freq'], 'tag_write {"value":30,"tag":"pump2_freq"}'],
    [['打开进水阀', '40%'], 'tag_write {"tag":"inlet_valve","value":40}'],
    [['read slave 1 from 100', '10'], 'modbus_read {"unit":1,"table":"holding","address":100,"count":10}'],
    [['read registers 0-9', '从站1'], 'modbus_read {"table":"holding","address":0,"count":10,"unit":1}'],
    [['write to register 5 of slave 1', '77'], 'modbus_write {"unit":1,"table":"holding","address":5,"values":[77]}'],
    [
      ['write to register 5 of slave 1', '70000'],
      'modbus_write {"unit":1,"table":"holding","address":5,"values":[70000]} asks invalid_value',
    ],
    [['set boiler setpoint to 300', '180'], 'tag_write {"tag":"boiler_temp_sp","value":180}'],
  ])('%j', (texts, meaning) => {
    expect(after(...texts)).toBe(meaning);
  });

  test('a whole new request is not taken for an answer', () => {
    expect(after('set pump frequency to 30', 'read boiler temp')).toBe('tag_read {"tags":["boiler_temp"]}');
  });
});
