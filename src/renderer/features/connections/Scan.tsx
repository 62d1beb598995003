import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ConnectionConfig, SerialSettings } from '../../../shared/contracts/devices.ts';
import { addressesOf, subnetScanSeconds, unitScanSeconds } from '../../../shared/scanWords.ts';
import type { HandrailError } from '../../../shared/errors.ts';
import { asHandrailError, type WireError } from '../../../shared/errors.ts';
import { callTool } from '../../client/callTool.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { NumberField, TextField } from '../../ui/Field.tsx';
import { useNow } from '../../ui/useNow.ts';
import { visible } from '../../words/format.ts';
import { useWords } from '../../words/words.ts';
import { addConnection, addDevice, edit, freeId, useDraft } from './draft.ts';

type Found = {
  connection: string;
  unit: number;
  answered: 'value' | 'exception' | 'garbled';
  exception: number | null;
  identity: { vendor: string | null; product: string | null; revision: string | null } | null;
};
type ScanResult = {
  found: Found[];
  probed: number;
  silent: number;
  settings?: Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'> | null;
};
type JobView = {
  job_id: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
  progress: { done: number; total: number } | null;
  result: ScanResult | null;
  error: WireError | null;
};
type Run = {
  startedAt: number;
  progress: JobView['progress'];
  state: 'running' | 'done' | 'failed' | 'stopped';
  result: ScanResult | null;
  error: HandrailError | WireError | null;
};

/** A scan as the gateway runs it: the call answers soon or gives a job, the job tells its progress and can be stopped. */
function useScan(): { run: Run | null; start: (args: Record<string, unknown>) => void; stop: () => void } {
  const [run, setRun] = useState<Run | null>(null);
  const going = useRef<{ abort: AbortController; job: string | null } | null>(null);
  const stop = (): void => {
    const now = going.current;
    if (!now) return;
    now.abort.abort();
    if (now.job !== null) void callTool('job', { job_id: now.job, stop: true }).catch(() => undefined); // its end shows what became of it
  };
  useEffect(() => () => going.current?.abort.abort(), []);
  const start = (args: Record<string, unknown>): void => {
    const mine = { abort: new AbortController(), job: null as string | null };
    going.current = mine;
    setRun({ startedAt: Date.now(), progress: null, state: 'running', result: null, error: null });
    const take = (view: JobView): boolean => {
      mine.job = view.job_id;
      setRun((old) => old && { ...old, progress: view.progress, state: view.state, result: view.result, error: view.error });
      return view.state === 'running';
    };
    void (async () => {
      try {
        const signal = mine.abort.signal;
        let more = take(await callTool<JobView>('scan_devices', args, { signal, timeoutMs: 60_000 }));
        while (more && !signal.aborted)
          more = take(await callTool<JobView>('job', { job_id: mine.job, wait_ms: 1000 }, { signal, timeoutMs: 30_000 }));
        if (signal.aborted) setRun((old) => old && { ...old, state: 'stopped' });
      } catch (failure) {
        const error = asHandrailError(failure);
        setRun(
          (old) =>
            old && { ...old, state: error.code === 'CANCELLED' ? 'stopped' : 'failed', error: error.code === 'CANCELLED' ? null : error },
        );
      }
    })();
  };
  return { run, start, stop };
}

function ScanBox({
  title,
  estimate,
  disabled,
  onStart,
  run,
  onStop,
  seconds,
  fields,
  children,
}: {
  title: string;
  estimate: string;
  disabled: boolean;
  onStart: () => void;
  run: Run | null;
  onStop: () => void;
  seconds: number;
  fields?: ReactNode;
  children?: ReactNode;
}) {
  const { say } = useWords();
  const now = useNow(500);
  const running = run?.state === 'running';
  return (
    <fieldset className="scan">
      <legend>{title}</legend>
      {fields && <div className="fields">{fields}</div>}
      <div className="sheet-adds">
        {running ? (
          <button type="button" className="btn small" onClick={onStop}>
            {say('stop')}
          </button>
        ) : (
          <button type="button" className="btn small" disabled={disabled} onClick={onStart}>
            {say('scan.start')}
          </button>
        )}
        <span className="sec" role={running ? undefined : 'status'}>
          {running
            ? run.progress
              ? say('scan.progress', { done: run.progress.done, total: run.progress.total })
              : say('scan.elapsed', { n: Math.max(0, Math.round((now - run.startedAt) / 1000)), of: seconds })
            : run === null
              ? estimate
              : run.state === 'stopped'
                ? say('scan.stopped')
                : run.state === 'done' && run.result
                  ? say('scan.done', { found: run.result.found.length, probed: run.result.probed })
                  : ''}
        </span>
      </div>
      {running && run.progress && <progress aria-label={title} max={run.progress.total} value={run.progress.done} />}
      {run?.error && <ErrorText error={run.error} />}
      {children}
    </fieldset>
  );
}

/** Units of a line that is in use: asked with the settings that are saved, or what answers would be another line's. */
export function UnitScan({
  connection,
  saved,
  known,
  onAdd,
}: {
  connection: ConnectionConfig;
  saved: boolean;
  known: readonly number[];
  onAdd: (unit: number) => void;
}) {
  const { say } = useWords();
  const [range, setRange] = useState<{ from: number | null; to: number | null }>({ from: 1, to: 20 });
  const { run, start, stop } = useScan();
  const [from, to] = [range.from ?? 0, range.to ?? 0];
  const fits = Number.isInteger(from) && Number.isInteger(to) && from >= 1 && to <= 247 && from <= to;
  const serial = connection.serial;
  const seconds = fits ? unitScanSeconds(to - from + 1, serial !== undefined) : 0;
  return (
    <ScanBox
      title={say('scan.units')}
      estimate={!saved ? say('scan.saveFirst') : fits ? say('scan.estimate', { n: seconds }) : say('scan.range')}
      disabled={!saved || !fits}
      seconds={seconds}
      run={run}
      onStop={stop}
      onStart={() => start({ ...(serial ? { port: serial.path, baud: serial.baud } : { host: connection.host }), from, to })}
      fields={
        <>
          <NumberField label={say('scan.from')} value={range.from} onChange={(value) => setRange({ ...range, from: value })} />
          <NumberField label={say('scan.to')} value={range.to} onChange={(value) => setRange({ ...range, to: value })} />
        </>
      }
    >
      <FoundList found={run?.result?.found ?? []} isKnown={(found) => known.includes(found.unit)} onAdd={(found) => onAdd(found.unit)} />
    </ScanBox>
  );
}

/** The usual settings of a serial line, tried one after another until somebody answers. */
export function LineSettingsScan({
  path,
  onFound,
}: {
  path: string;
  onFound: (settings: Pick<SerialSettings, 'baud' | 'dataBits' | 'parity' | 'stopBits'>) => void;
}) {
  const { say } = useWords();
  const { run, start, stop } = useScan();
  const settings = run?.result?.settings ?? null;
  return (
    <ScanBox
      title={say('scan.settings')}
      estimate={say('scan.settings.estimate')}
      disabled={path === ''}
      seconds={60}
      run={run}
      onStop={stop}
      onStart={() => start({ port: path, from: 1, to: 5 })}
    >
      {settings && (
        <div className="sheet-adds">
          <b>
            {settings.baud} {settings.dataBits}
            {settings.parity[0]?.toUpperCase()}
            {settings.stopBits}
          </b>
          <button type="button" className="btn small" onClick={() => onFound(settings)}>
            {say('scan.take')}
          </button>
        </div>
      )}
    </ScanBox>
  );
}

/** A network holds other people's machines too: it is asked only after a person has seen how many addresses and how long. */
export function HostScan() {
  const { say } = useWords();
  const [subnet, setSubnet] = useState('192.168.1.0/24');
  const { run, start, stop } = useScan();
  const draft = useDraft((state) => state.draft);
  const addresses = addressesOf(subnet.trim());
  const seconds = addresses === null ? 0 : subnetScanSeconds(addresses);
  return (
    <ScanBox
      title={say('scan.hosts')}
      estimate={addresses === null ? say('scan.subnet.form') : say('scan.hosts.estimate', { n: addresses, seconds })}
      disabled={addresses === null}
      seconds={seconds}
      run={run}
      onStop={stop}
      onStart={() => start({ subnet: subnet.trim() })}
      fields={<TextField label={say('scan.subnet')} value={subnet} mono onChange={setSubnet} />}
    >
      <FoundList
        found={run?.result?.found ?? []}
        isKnown={(found) => draft?.file.connections.some((connection) => connection.host === hostOf(found.connection)) ?? true}
        onAdd={(found) =>
          edit((file) => {
            const id = freeId(
              file.connections.map((connection) => connection.id),
              'net',
            );
            return addDevice(addConnection(file, { id, kind: 'tcp', host: hostOf(found.connection), port: 502 }), id, found.unit);
          })
        }
      />
    </ScanBox>
  );
}
/** A connection made for a scan is named `tcp:HOST:PORT`; one of the plant file by its own id. */
const hostOf = (connection: string): string => /^tcp:(.*):\d+$/.exec(connection)?.[1] ?? connection;

function FoundList({
  found,
  isKnown,
  onAdd,
}: {
  found: readonly Found[];
  isKnown: (found: Found) => boolean;
  onAdd: (found: Found) => void;
}) {
  const { say } = useWords();
  if (found.length === 0) return null;
  return (
    <ul className="found">
      {found.map((entry) => (
        <li key={`${entry.connection}-${entry.unit}`} className="verdict-line">
          <b>{say('unit.n', { n: entry.unit })}</b>
          <span className="sec cut grow">
            {hostOf(entry.connection)} · {say(`scan.answered.${entry.answered}`)}
            {entry.identity && ` · ${visible([entry.identity.vendor, entry.identity.product].filter(Boolean).join(' '))}`}
          </span>
          {isKnown(entry) ? (
            <span className="label">{say('scan.known')}</span>
          ) : (
            <button type="button" className="btn small" onClick={() => onAdd(entry)}>
              {say('scan.add')}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
