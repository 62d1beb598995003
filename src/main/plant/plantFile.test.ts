import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HandrailError } from '../../shared/errors.ts';
import { blankComments } from './jsonComments.ts';
import { loadPlantFile, parsePlantFile, savePlantFile } from './plantFile.ts';
import { simulatedPlantFile } from './simulated.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-file-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const good = `{
  // what stands here is ours
  "name": { "en": "Plant", "zh": "工厂" }, /* both */
  "connections": [{ "id": "line", "kind": "tcp", "host": "10.0.0.7", "port": 502 }],
  "devices": [{ "id": "plc", "name": { "en": "PLC", "zh": "控制器" }, "connection": "line", "unitId": 1 }],
  "tags": [
    { "id": "temp", "name": { "en": "temp // not a comment", "zh": "温度" }, "device": "plc", "table": "input", "address": 0, "type": "int16" },
  ],
}
`;

function complaint(text: string): string {
  try {
    parsePlantFile(text, 'plant.json');
  } catch (thrown) {
    if (thrown instanceof HandrailError && thrown.code === 'ARGS_PLANT_FILE') return thrown.text.message.en;
    throw thrown;
  }
  return 'no complaint';
}

test('comments and trailing commas are allowed, defaults are filled in, texts are kept', () => {
  const file = parsePlantFile(good, 'plant.json');
  expect(file.tags[0]).toMatchObject({
    order: 'ABCD',
    scale: 1,
    offset: 0,
    write: { allowed: false, min: null },
    range: { min: null, max: null },
    pollMs: 1000,
  });
  expect(file.tags[0]?.name.en).toBe('temp // not a comment');
  expect(file.simulated).toBe(false);
});

describe('a complaint names the place', () => {
  test.each<[string, string, string, RegExp]>([
    ['a missing comma', '"kind": "tcp",', '"kind": "tcp"', /line 4, column \d+: this is not JSON/],
    ['a wrong word', '"kind": "tcp"', '"kind": "tpc"', /line 4, column \d+, \/connections\/0\/kind/],
    ['an unknown field', '"type": "int16"', '"type": "int16", "adress": 4', /line 7, .*additional properties "adress"/],
    ['an address too large', '"address": 0', '"address": 70000', /line 7, .*\/tags\/0\/address/],
    ['a connection that is not there', '"connection": "line"', '"connection": "lines"', /line 5, .*there is no connection "lines"/],
    ['a device that is not there', '"device": "plc"', '"device": "plc9"', /line 7, .*there is no device "plc9"/],
    ['a wide value without its order', '"type": "int16"', '"type": "float32"', /say their "order"/],
    [
      'a value beyond the end',
      '"address": 0, "type": "int16"',
      '"address": 65535, "type": "int32", "order": "ABCD"',
      /beyond address 65535/,
    ],
    ['a writable input register', '"type": "int16"', '"type": "int16", "write": { "allowed": true }', /cannot be written/],
    ['an integer in a coil', '"table": "input"', '"table": "coil"', /a coil is a bool/],
    ['a range upside down', '"type": "int16"', '"type": "int16", "range": { "min": 5, "max": 1 }', /min is above max/],
    ['a scale of zero', '"type": "int16"', '"type": "int16", "scale": 0', /\/tags\/0\/scale/],
    ['a serial line without settings', '"kind": "tcp"', '"kind": "rtu"', /connections\/0.*serial/],
  ])('%s', (_, from, to, says) => {
    expect(good).toContain(from);
    expect(complaint(good.replace(from, to))).toMatch(says);
  });

  test('an id that stands twice, whatever the letter case', () => {
    const tag = /\{ "id": "temp".*\},/.exec(good)![0];
    expect(complaint(good.replace(tag, `${tag}\n    ${tag.replace('"temp"', '"TEMP"')}`))).toMatch(
      /line 8, .*"TEMP" stands here a second time/,
    );
  });
});

test('a file that is not there and one that is not text are errors of their own', () => {
  expect(() => loadPlantFile(join(folder, 'none.json'))).toThrow(expect.objectContaining({ code: 'ARGS_UNREADABLE_FILE' }));
  writeFileSync(join(folder, 'gbk.json'), Buffer.from([0x7b, 0xce, 0xc2, 0xb6, 0xc8]));
  expect(() => loadPlantFile(join(folder, 'gbk.json'))).toThrow(expect.objectContaining({ code: 'ARGS_PLANT_FILE' }));
});

test('any text is a plant file or a complaint, never another failure', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.tuple(fc.nat(good.length - 1), fc.string({ maxLength: 3 })).map(([at, s]) => good.slice(0, at) + s + good.slice(at + 1)),
      ),
      (text) => {
        complaint(text);
      },
    ),
  );
});

test('comments are blanked place for place', () => {
  fc.assert(fc.property(fc.string(), (text) => blankComments(text).length === text.length));
  expect(blankComments('{"a": "//x", /* y\n */ "b": [1, 2,],}')).toBe('{"a": "//x",     \n    "b": [1, 2 ] }');
});

test('the simulated plant saves and loads as it is, and nothing is left beside it', () => {
  const path = join(folder, 'saved', 'plant.json');
  const file = simulatedPlantFile({ port: 1502, rtuPath: 'ttyX' });
  savePlantFile(path, file);
  expect(loadPlantFile(path)).toEqual(JSON.parse(JSON.stringify(file)));
  expect(readdirSync(join(folder, 'saved'))).toEqual(['plant.json']);
});

test('what is not a plant is not saved over one', () => {
  const path = join(folder, 'kept.json');
  writeFileSync(path, good);
  const broken = simulatedPlantFile({ port: 1502 });
  broken.tags[0]!.device = 'nowhere';
  expect(() => savePlantFile(path, broken)).toThrow(expect.objectContaining({ code: 'ARGS_PLANT_FILE' }));
  expect(readFileSync(path, 'utf8')).toBe(good);
});
