import { expect, test } from 'vitest';
import { fakePlant } from '../../../../test/harness/fakePlant.ts';
import {
  addConnection,
  addDevice,
  addTag,
  changeConnection,
  changeDevice,
  emptyPlant,
  freeId,
  removeConnection,
  removeDevice,
  withKind,
} from './draft.ts';

test('a new plant grows from a connection to a tag, each with a name that nobody has', () => {
  let file = addConnection(emptyPlant());
  file = addConnection(file);
  expect(file.connections.map(({ id, kind, port }) => [id, kind, port])).toEqual([
    ['net', 'tcp', 502],
    ['net-2', 'tcp', 502],
  ]);
  file = addDevice(addDevice(file, 'net'), 'net');
  expect(file.devices.map(({ id, unitId }) => [id, unitId])).toEqual([
    ['unit1', 1],
    ['unit2', 2],
  ]);
  file = addTag(addTag(file, 'unit1', { address: 7 }), 'unit1', { address: 7 });
  expect(file.tags.map((tag) => tag.id)).toEqual(['unit1_holding_7', 'unit1_holding_7-2']);
  expect(freeId(['A'], 'a')).toBe('a-2');
});

test('a rename keeps what hangs on it, and what is removed takes along what hung on it', () => {
  const connection = fakePlant.connections[0]!;
  const renamed = changeConnection(fakePlant, 0, { ...connection, id: 'other' });
  const count = (file: typeof fakePlant, id: string): number => file.devices.filter((device) => device.connection === id).length;
  expect(count(renamed, 'other')).toBe(count(fakePlant, connection.id));
  expect(count(renamed, connection.id)).toBe(0);

  const device = fakePlant.devices[0]!;
  const tagsOf = (file: typeof fakePlant, id: string): number => file.tags.filter((tag) => tag.device === id).length;
  expect(tagsOf(changeDevice(fakePlant, 0, { ...device, id: 'x' }), 'x')).toBe(tagsOf(fakePlant, device.id));
  expect(tagsOf(removeDevice(fakePlant, device.id), device.id)).toBe(0);

  const without = removeConnection(fakePlant, connection.id);
  expect(count(without, connection.id)).toBe(0);
  expect(without.tags.every((tag) => without.devices.some((left) => left.id === tag.device))).toBe(true);
});

test('another kind keeps what still has a meaning and drops the rest', () => {
  const tcp = { id: 'a', kind: 'tcp', host: 'plc', port: 1502, timing: { timeoutMs: 300 } } as const;
  expect(withKind(tcp, 'rtu_over_tcp')).toEqual({ ...tcp, kind: 'rtu_over_tcp' });
  expect(withKind(tcp, 'ascii')).toEqual({
    id: 'a',
    kind: 'ascii',
    serial: { path: '', baud: 9600, dataBits: 7, parity: 'even', stopBits: 1 },
    timing: { timeoutMs: 300 },
  });
});
