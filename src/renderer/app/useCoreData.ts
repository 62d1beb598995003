import { useEffect } from 'react';
import { takeNews } from '../client/approvals.ts';
import { callCore, useConnection, useCoreStream } from '../client/connection.ts';
import { loadPlant, usePlant } from '../client/plant.ts';
import { redraw, takeBatch, useInterest } from '../client/readings.ts';
import { loadSettings, useSettings } from '../client/settings.ts';
import { useShell } from '../client/shell.ts';
import { takeTraffic } from '../client/traffic.ts';
import { afterEvent, useTranscript } from '../client/turns.ts';
import { usedTags } from './usedTags.ts';

/** Everything the page is told, taken in once for all panes. */
export function useCoreData(): void {
  const client = useConnection((state) => state.client);
  useEffect(() => {
    if (!client) return;
    const tolerate = (): void => undefined; // a lost connection shows itself; all of this runs again on the next one
    void loadSettings().catch(tolerate);
    void loadPlant().catch(tolerate);
    void callCore('app.info', {}).then((info) => useShell.setState({ info }), tolerate);
  }, [client]);

  useCoreStream('changes', {}, ({ what }) => void (what === 'plant' ? loadPlant() : loadSettings()).catch(() => undefined));
  useCoreStream('turn.events', {}, (event) => useTranscript.setState((transcript) => afterEvent(transcript, event, Date.now())));
  useCoreStream('approvals', {}, takeNews);
  useCoreStream('arming', {}, (armed) => useShell.setState({ armed }));
  useCoreStream('health', {}, (health) => useShell.setState({ health }));
  useCoreStream('traffic', { backlog: 200 }, takeTraffic);
  useReadings();
}

function useReadings(): void {
  const wanted = useInterest((state) => state.wanted);
  const loaded = usePlant((state) => state.plant !== null);
  const tags = usedTags(wanted);
  useCoreStream('readings', loaded && tags.length > 0 ? { tags, hz: 10 } : null, (batch) => takeBatch(tags, batch));
  const hz = useSettings((state) => state.settings.textHz);
  useEffect(() => {
    const timer = setInterval(redraw, 1000 / hz);
    return () => clearInterval(timer);
  }, [hz]);
}
