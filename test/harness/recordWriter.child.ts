import { openStore } from '../../src/main/store/index.ts';

// Writes a record without end and says which durable events are on the disk; the test kills it somewhere in between.
const store = openStore({ folder: process.argv[2]!, clock: { now: Date.now }, ids: () => 'x', lang: 'en' });
const { record } = store;
process.stdout.write(`open ${JSON.stringify(record.recovered())}\n`);
const session = `s${process.pid}`;
record.append({ kind: 'session-started', session, payload: { door: 'test', operator: 'test', title: '' } });
for (let i = 0; ; i++) {
  for (let k = 0; k < 5; k++) record.append({ kind: 'note', session, payload: { text: `读取 ${i} ${k}` } });
  const event = record.append({ kind: 'locked', session, payload: { why: `${i}` } }, { durable: true });
  process.stdout.write(`${event.seq} ${event.hash}\n`);
  if (i % 10 === 0) store.history.add([{ tag: 'T', at: Date.now(), value: i, quality: 'good' }]);
  if (i % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}
