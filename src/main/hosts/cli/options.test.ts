import { describe, expect, test } from 'vitest';
import { readOptions } from './options.ts';

const refused = (...argv: string[]): string => {
  try {
    readOptions(argv);
  } catch (error) {
    return String(error);
  }
  return 'accepted';
};

describe('the command line', () => {
  test('takes a question with several consents', () => {
    const options = readOptions([
      'ask',
      'set boiler setpoint to 120',
      '--approve',
      'boiler_temp_sp=120',
      '--approve',
      'line_speed=3',
      '--json',
    ]);
    expect(options).toMatchObject({
      command: 'ask',
      words: ['set boiler setpoint to 120'],
      approve: ['boiler_temp_sp=120', 'line_speed=3'],
      json: true,
      model: 'builtin',
    });
  });
  test('gives --lang of exec to the program, not to the answers', () => {
    expect(readOptions(['exec', '--lang', 'python', 'a.py'])).toMatchObject({ codeLang: 'python', lang: undefined });
    expect(readOptions(['ask', 'x', '--lang', 'zh']).lang).toBe('zh');
  });
  test('refuses an unknown command, a foreign flag and a bad number by name', () => {
    expect(refused('asl', 'x')).toContain('unknown command "asl"');
    expect(refused('interpret', 'x', '--approve', 'a=1')).toContain('does not take --approve');
    expect(refused('ask', 'x', '--bogus')).toContain('--bogus');
    expect(refused('serve', '--port', '70000')).toContain('0 to 65535');
    expect(refused('serve', '--port', '1e3')).toContain('"1e3"');
    expect(refused('ask', 'x', '--lang', 'de')).toContain('zh or en');
    expect(refused()).toContain('no command');
  });
});
