import { afterEach, describe, expect, test } from 'vitest';
import type { ApprovalCard } from '../../../src/shared/contracts/approvals.ts';
import type { ResultEnvelope } from '../../../src/shared/contracts/calls.ts';
import { createExactConsent } from '../../../src/main/gateway/index.ts';
import { askedDirection } from '../../../src/main/gateway/direction.ts';
import { sameValue } from '../../../src/main/gateway/exactConsent.ts';
import { approve, createRig, outcome, rigPlant, type Rig } from '../../harness/gatewayRig.ts';
import type { WriteFate } from '../../harness/fakeWires.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});
const codeOf = (envelope: ResultEnvelope): string | null => envelope.error?.code ?? null;

describe('several writes in one request', () => {
  const three = (r: Rig, more = {}) =>
    r.gateway.callAll(
      [
        ['boiler_sp', 90],
        ['pump1_freq', 45],
        ['pump2_freq', 45],
      ].map(([tag, value], i) => r.request('tag_write', { tag, value }, { turnId: 't', callId: `w${i + 1}`, ...more })),
    );
  test('are one card, in order, and sent in that order', async () => {
    rig = await createRig({ armed: ['plc1', 'vfd2'] });
    const answers = await three(rig);
    expect(answers.map((a) => a.ok)).toEqual([true, true, true]);
    expect(rig.cards.map((c) => c.items.map((i) => `${i.tag}=${String(i.after)}`))).toEqual([
      ['boiler_sp=90', 'pump1_freq=45', 'pump2_freq=45'],
    ]);
    expect(rig.wires.writes.map((w) => [w.unitId, w.address])).toEqual([
      [1, 0],
      [1, 1],
      [2, 1],
    ]);
    expect((await rig.store.record.verify()).ok).toBe(true);
  });
  test.each<[WriteFate]>([['no-answer-lost'], ['not-taken'], ['different'], [{ exception: 4 }]])(
    'stop at the first that is not confirmed (%j), and offer to undo those done',
    async (fate) => {
      rig = await createRig({ armed: ['plc1', 'vfd2'] });
      rig.wires.fates = ['taken', fate];
      const answers = await three(rig);
      expect(answers.map((a) => a.ok)).toEqual([true, false, false]);
      expect(codeOf(answers[2]!)).toBe('TOOL_DEPENDENCY');
      expect(rig.wires.writes).toHaveLength(2);
      for (const stopped of answers.slice(1)) {
        expect(stopped.error!.detail).toMatchObject({
          undo_offer: { steps: 1 },
          done: [{ call_id: 'w1', target: 'boiler_sp', value: 90 }],
        });
        expect(stopped.error!.advice).toContain('boiler_sp');
      }
      rig.wires.fates = [];
      expect((await rig.call('undo', { steps: 1 })).ok).toBe(true);
      expect(rig.wires.get(1, 'holding', 0)).toBe(800);
    },
  );
  test.each<[string, [string, unknown][]]>([
    [
      'one out of range',
      [
        ['boiler_sp', 90],
        ['pump1_freq', 51],
      ],
    ],
    [
      'one with wrong arguments',
      [
        ['boiler_sp', 90],
        ['pump1_freq', null],
      ],
    ],
    [
      'one on a locked device',
      [
        ['boiler_sp', 90],
        ['pump2_freq', 45],
      ],
    ],
    [
      'one that does not exist',
      [
        ['boiler_sp', 90],
        ['nope', 45],
      ],
    ],
  ])('%s refuses all of them before any card', async (_, writes) => {
    rig = await createRig({ armed: ['plc1'] });
    const answers = await rig.gateway.callAll(writes.map(([tag, value]) => rig!.request('tag_write', { tag, value }, { turnId: 't' })));
    expect(answers.map((a) => a.ok)).toEqual([false, false]);
    expect([rig.cards, rig.wires.writes]).toEqual([[], []]);
  });
  test('a listed order of dependencies is the order on the wire', async () => {
    rig = await createRig({ armed: ['plc1', 'vfd2'] });
    const write = (callId: string, tag: string, value: number, dependsOn: string[]) =>
      rig!.request('tag_write', { tag, value }, { turnId: 't', callId, dependsOn });
    const answers = await rig.gateway.callAll([
      write('c', 'pump2_freq', 45, ['b']),
      write('b', 'pump1_freq', 45, ['a']),
      write('a', 'boiler_sp', 90, []),
    ]);
    expect(answers.map((a) => a.ok)).toEqual([true, true, true]);
    expect(rig.cards[0]!.items.map((i) => i.tag)).toEqual(['boiler_sp', 'pump1_freq', 'pump2_freq']);
  });
  test('a read between two writes sees the first and not the second', async () => {
    rig = await createRig({ armed: ['plc1'] });
    const r = rig;
    const answers = await r.gateway.callAll([
      r.request('tag_write', { tag: 'boiler_sp', value: 90 }, { turnId: 't', callId: 'a' }),
      r.request('tag_read', { tags: ['boiler_sp', 'pump1_freq'] }, { turnId: 't', callId: 'b', dependsOn: ['a'] }),
      r.request('tag_write', { tag: 'pump1_freq', value: 45 }, { turnId: 't', callId: 'c', dependsOn: ['b'] }),
    ]);
    expect(answers.map((a) => a.ok)).toEqual([true, true, true]);
    expect(answers[1]!.result).toMatchObject({ readings: [{ value: 90 }, { value: 30 }] });
    expect(r.cards).toHaveLength(1);
  });
  test('a rejection refuses each of them', async () => {
    rig = await createRig({
      armed: ['plc1', 'vfd2'],
      approver: { ask: async (card) => approve(card, { approved: false, how: 'reject' }) },
    });
    expect((await three(rig)).map(codeOf)).toEqual(['APPROVAL_DECLINED', 'APPROVAL_DECLINED', 'APPROVAL_DECLINED']);
  });
});

describe('direction', () => {
  const aliases = ['boiler_sp', 'boiler setpoint', '锅炉温度设定'];
  test.each<[string, 'raise' | 'lower' | null]>([
    ['lower the boiler setpoint to 70', 'lower'],
    ['Please turn the boiler setpoint down to 70', 'lower'],
    ['bring boiler setpoint down', 'lower'],
    ['reduce it to 70', 'lower'],
    ['raise boiler setpoint to 90', 'raise'],
    ['turn up the boiler setpoint', 'raise'],
    ['increase to 90', 'raise'],
    ['把锅炉温度设定降低到 70', 'lower'],
    ['锅炉温度设定调低到70度', 'lower'],
    ['锅炉温度设定降到70', 'lower'],
    ['把锅炉温度设定提高到90', 'raise'],
    ['锅炉温度设定升到 90', 'raise'],
    ['ＬＯＷＥＲ the boiler setpoint', 'lower'],
    ['set boiler setpoint to 70', null],
    ['把锅炉温度设定改为 70', null],
    ['set the lower limit to 5', null],
    ['write 70 to the upper threshold', null],
    ['把下限设为 5', null],
    ['raise pump 1 frequency and lower boiler setpoint', 'lower'],
    ['提高1号泵频率，降低锅炉温度设定', 'lower'],
    ['raise one and lower the other', null],
    ['', null],
  ])('%j asks to %s', (words, asked) => {
    expect(askedDirection(words, aliases)).toBe(asked);
  });
  test.each<[string, string, number, string | null]>([
    ['lower the boiler setpoint', 'boiler_sp', 90, 'POLICY_DIRECTION'],
    ['降低锅炉温度设定', 'boiler_sp', 90, 'POLICY_DIRECTION'],
    ['raise the boiler setpoint', 'boiler_sp', 70, 'POLICY_DIRECTION'],
    ['提高锅炉温度设定', 'boiler_sp', 70, 'POLICY_DIRECTION'],
    ['lower the boiler setpoint', 'boiler_sp', 70, null],
    ['提高锅炉温度设定', 'boiler_sp', 90, null],
    ['set the boiler setpoint', 'boiler_sp', 70, null],
    ['lower pump 1 frequency to 20', 'pump1_freq', 20, null],
  ])('%j with %s = %i from 80 or 30 is %s', async (words, tag, value, code) => {
    rig = await createRig({ armed: ['plc1'] });
    const answer = await rig.write(tag, value, { words });
    expect(codeOf(answer)).toBe(code);
    if (code !== null) {
      expect(answer.error!.message).toContain('80');
      expect([rig.cards, rig.wires.writes]).toEqual([[], []]);
    }
  });
});

describe('exact consent on the command line', () => {
  const consentFor = (approvals: string[]) =>
    createExactConsent(
      approvals,
      {
        deviceOfTag: (tag) => rigPlant.tags.find((t) => t.id === tag)?.device,
        deviceOfUnit: (unit) => rigPlant.devices.find((d) => d.id === unit || String(d.unitId) === unit)?.id,
      },
      'li',
    );
  const withConsent = async (...approvals: string[]): Promise<Rig> => {
    const consent = consentFor(approvals);
    rig = await createRig({
      approver: consent.approver,
      armed: consent.devices,
      gateway: { named: (write) => consent.names(write.target) },
    });
    return rig;
  };
  test('approves exactly this tag and this value', async () => {
    const r = await withConsent('boiler_sp=90');
    expect((await r.write('boiler_sp', 90)).ok).toBe(true);
    expect(codeOf(await r.write('boiler_sp', 91))).toBe('APPROVAL_MISMATCH');
    const other = await r.write('pump1_freq', 45);
    expect(other.error).toMatchObject({
      code: 'APPROVAL_NEEDED',
      detail: { tag: 'pump1_freq', now: 30, after: 45, approve: 'pump1_freq=45' },
    });
    expect(other.error!.advice).toContain('--approve pump1_freq=45');
    expect(codeOf(await r.write('pump2_freq', 45))).toBe('POLICY_LOCKED');
    expect(r.wires.writes).toHaveLength(1);
  });
  test('names every value of a request, or none is written', async () => {
    const r = await withConsent('boiler_sp=90');
    const answers = await r.gateway.callAll([
      r.request('tag_write', { tag: 'boiler_sp', value: 90 }, { turnId: 't' }),
      r.request('tag_write', { tag: 'pump1_freq', value: 45 }, { turnId: 't' }),
    ]);
    expect(answers.map((a) => a.ok)).toEqual([false, false]);
    expect(r.wires.writes).toEqual([]);
  });
  test.each([
    ['boiler_sp=80', 'the value it restores'],
    ['boiler_sp=90', 'the value it takes back'],
  ])('an undo is consented to by %s, %s', async (flag) => {
    const first = consentFor(['boiler_sp=90']);
    const second = consentFor([flag]);
    let ask = first.approver.ask.bind(first.approver);
    rig = await createRig({ approver: { ask: (card: ApprovalCard, signal) => ask(card, signal) }, armed: ['plc1'] });
    await rig.write('boiler_sp', 90);
    ask = second.approver.ask.bind(second.approver);
    expect(outcome(await rig.call('undo', {}))).toMatchObject({ after: 80, verdict: 'confirmed' });
  });
  test('an undo with another value is refused', async () => {
    const r = await withConsent('boiler_sp=90');
    await r.write('boiler_sp', 90);
    const other = consentFor(['boiler_sp=70']);
    const card = { items: [{ ...r.cards[0]!.items[0]!, after: 80, takesBack: { callId: 'x', value: 90 } }] } as unknown as ApprovalCard;
    expect(() => other.approver.ask(card, new AbortController().signal)).toThrow(/boiler_sp=70/);
  });
  test('names a bare register, which is otherwise refused', async () => {
    const r = await withConsent('1:holding:500=42', '1:coil:7=on', '1:holding:510=1,2');
    expect((await r.call('modbus_write', { unit: 1, table: 'holding', address: 500, values: [42] })).ok).toBe(true);
    expect((await r.call('modbus_write', { unit: 1, table: 'coil', address: 7, values: [true] })).ok).toBe(true);
    expect((await r.call('modbus_write', { device: 'plc1', table: 'holding', address: 510, values: [1, 2] })).ok).toBe(true);
    expect(codeOf(await r.call('modbus_write', { unit: 1, table: 'holding', address: 500, values: [43] }))).toBe('APPROVAL_MISMATCH');
    expect(codeOf(await r.call('modbus_write', { unit: 1, table: 'holding', address: 501, values: [42] }))).toBe('POLICY_REFUSED');
    expect(codeOf(await r.call('modbus_write', { unit: 2, table: 'holding', address: 500, values: [42] }))).toBe('POLICY_REFUSED');
  });
  test('names a file by path and digest, and its undo by what it restores or takes back', () => {
    const sha = 'a'.repeat(64);
    const card = (file: object) =>
      ({ items: [], files: [{ path: 'a.txt', bytes: 2, sha256: sha, replaces: null, ...file }], digest: 'd' }) as unknown as ApprovalCard;
    const ask =
      (flag: string, file: object = {}) =>
      () =>
        consentFor([flag]).approver.ask(card(file), new AbortController().signal);
    const removal = { removes: true, sha256: 'e'.repeat(64), bytes: 0, replaces: { bytes: 2, sha256: sha }, takesBack: 'w1' };
    expect(ask(`file:a.txt=${sha}`)).not.toThrow();
    expect(ask(`file:a.txt=${'b'.repeat(64)}`)).toThrow(/needs a person/);
    expect(ask(`file:b.txt=${sha}`)).toThrow(/needs a person/);
    expect(ask('file:a.txt=removed')).toThrow(/needs a person/);
    expect(ask('file:a.txt=removed', removal)).not.toThrow();
    expect(ask(`file:a.txt=${sha}`, removal)).not.toThrow();
    expect(ask(`file:a.txt=${'e'.repeat(64)}`, removal)).toThrow(/Removing/);
  });
  test.each(['boiler_sp', 'boiler_sp=', '=90', '', 'nope=1', '9:holding:1=2', '1:input:1=2', '*=1'])('%j is no consent', (flag) => {
    expect(() => consentFor([flag])).toThrow();
  });
  test.each<[string, number | boolean | string, boolean]>([
    ['50', 50, true],
    ['50.0', 50, true],
    ['+50', 50, true],
    ['0.5', 0.5, true],
    ['5e1', 50, false],
    ['0x32', 50, false],
    ['50 ', 50, false],
    ['', 0, false],
    ['49.999', 50, false],
    ['true', true, true],
    ['on', true, true],
    ['1', true, true],
    ['0', true, false],
    ['off', false, true],
    ['no', false, false],
    ['1, 2', '1,2', true],
    ['1,2,3', '1, 2', false],
    ['auto', 'auto', true],
  ])('%j is the value %j: %s', (text, value, same) => {
    expect(sameValue(text, value)).toBe(same);
  });
});
