import { ChevronDown, ChevronUp, Download, Filter, Pause, Play } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { useShell, type DrawerTab } from '../../client/shell.ts';
import { isFault, useTraffic } from '../../client/traffic.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { saveFile } from '../../ui/saveFile.ts';
import { useWords } from '../../words/words.ts';
import { HealthView } from './HealthView.tsx';
import { RecordView } from './RecordView.tsx';
import { TrafficView } from './TrafficView.tsx';

const tabs: DrawerTab[] = ['traffic', 'record', 'health'];

export function Drawer() {
  const { say } = useWords();
  const tab = useShell((state) => state.drawer);
  const open = useShell((state) => state.drawerOpen);
  const paused = useShell((state) => state.paused);
  const perSecond = useTraffic((state) => state.perSecond);
  const faults = useTraffic((state) => state.frames.filter(isFault).length);
  const dropped = useTraffic((state) => state.dropped);
  const [faultsOnly, setFaultsOnly] = useState(false);
  const [search, setSearch] = useState('');
  const [error, setError] = useState<HandrailError | null>(null);
  const rate = Math.round(Object.values(perSecond).reduce((sum, n) => sum + n, 0));
  const exportPcap = async (): Promise<void> => {
    try {
      const file = await callCore('traffic.export', { connection: null, faultsOnly });
      saveFile(file.fileName, [file.bytes as Uint8Array<ArrayBuffer>], 'application/vnd.tcpdump.pcap');
      setError(null);
    } catch (failure) {
      setError(asHandrailError(failure));
    }
  };
  return (
    <Tabs.Root asChild value={tab} onValueChange={(value) => useShell.setState({ drawer: value as DrawerTab, drawerOpen: true })}>
      <section className={`pane drawer ${open ? '' : 'shut'}`} aria-label={say('drawer')} data-pane tabIndex={-1}>
        <div className="head">
          <Tabs.List className="tabs" aria-label={say('drawer')}>
            {tabs.map((name) => (
              <Tabs.Trigger key={name} value={name}>
                {say(`drawer.${name}`)}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <span className="label cut">
            {faults > 0 && (
              <>
                <b>{say('traffic.faults', { n: faults })}</b> ·{' '}
              </>
            )}
            {dropped > 0 && <>{say('traffic.dropped', { n: dropped })} · </>}
            {say('traffic.rate', { n: rate })}
          </span>
          <span className="grow" />
          {tab === 'traffic' && open && (
            <>
              <input
                className="input small hide-narrow"
                type="search"
                value={search}
                placeholder={say('traffic.find')}
                aria-label={say('traffic.find')}
                onChange={(event) => setSearch(event.target.value)}
              />
              <button type="button" className="btn small toggle" aria-pressed={faultsOnly} onClick={() => setFaultsOnly(!faultsOnly)}>
                <Filter aria-hidden="true" className="i" />
                {say('traffic.faultsOnly')}
              </button>
              <button
                type="button"
                className="btn small toggle"
                aria-pressed={paused !== null}
                onClick={() => useShell.setState({ paused: paused === null ? Date.now() : null })}
              >
                {paused === null ? <Pause aria-hidden="true" className="i" /> : <Play aria-hidden="true" className="i" />}
                {say(paused === null ? 'pause' : 'resume')}
              </button>
              <button type="button" className="btn small" onClick={() => void exportPcap()}>
                <Download aria-hidden="true" className="i" />
                {say('pcap')}
              </button>
            </>
          )}
          <button
            type="button"
            className="icon"
            aria-expanded={open}
            aria-label={say(open ? 'drawer.close' : 'drawer.open')}
            onClick={() => useShell.setState({ drawerOpen: !open })}
          >
            {open ? <ChevronDown aria-hidden="true" className="i" /> : <ChevronUp aria-hidden="true" className="i" />}
          </button>
        </div>
        {error && (
          <div className="notice">
            <ErrorText error={error} />
          </div>
        )}
        {open && (
          <>
            <Tabs.Content value="traffic" className="tab" tabIndex={-1}>
              <TrafficView faultsOnly={faultsOnly} search={search} />
            </Tabs.Content>
            <Tabs.Content value="record" className="tab scroll">
              <RecordView />
            </Tabs.Content>
            <Tabs.Content value="health" className="tab scroll">
              <HealthView />
            </Tabs.Content>
          </>
        )}
      </section>
    </Tabs.Root>
  );
}
