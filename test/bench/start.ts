import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/main/entries.ts';
import type { Bench } from './main.ts';

const rounds = 7;
const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Milliseconds from the spawn of a server process to the body of its first answered request; `address` finds its URL in stdout. */
async function startToFirstAnswer(args: string[], address: RegExp): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const gone = new Promise<void>((done) => child.once('close', () => done()));
  try {
    const url = await new Promise<string>((found, failed) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        const match = address.exec(text);
        if (match) found(match[1]!);
      });
      child.once('close', (code) => failed(new Error(`the server ended with code ${code}`)));
    });
    const response = await fetch(url);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the first request was answered ${response.status}`);
    return performance.now() - began;
  } finally {
    child.kill('SIGTERM');
    await gone;
  }
}

/** Start of the page host to its first answered request, beside a bare Node http server in the same rounds. */
export async function bench(): Promise<Bench> {
  const ours: number[] = [];
  const bare: number[] = [];
  const bareServer =
    "const s=require('http').createServer((q,r)=>r.end('x'));s.listen(0,'127.0.0.1',()=>console.log('http://127.0.0.1:'+s.address().port))";
  for (let round = 0; round < rounds; round++) {
    const data = mkdtempSync(join(tmpdir(), 'handrail-bench-'));
    ours.push(
      await startToFirstAnswer(
        [join(projectRoot(), 'out', 'main', 'cli.js'), 'serve', '--no-open', '--data', data],
        /(http:\/\/127\.0\.0\.1:\d+)/,
      ),
    );
    bare.push(await startToFirstAnswer(['-e', bareServer], /(http:\S+)/));
    rmSync(data, { recursive: true, force: true });
  }
  const value = median(ours);
  const peer = median(bare);
  return {
    name: 'start',
    figures: [
      {
        name: 'page host start to first answered request, median of 7',
        value,
        unit: 'ms',
        peer,
        ratio: value / peer,
        goal: null,
        met: null,
      },
    ],
    summary: `The page host answers ${value.toFixed(0)} ms after its process is started; a bare Node http server takes ${peer.toFixed(0)} ms.`,
  };
}
