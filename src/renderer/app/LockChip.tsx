import { Lock, LockOpen } from 'lucide-react';
import { callCore } from '../client/connection.ts';
import { usePlant } from '../client/plant.ts';
import { useShell } from '../client/shell.ts';
import { useNow } from '../ui/useNow.ts';
import { formatClock } from '../words/format.ts';
import { useWords } from '../words/words.ts';

export function LockChip() {
  const { say, both } = useWords();
  const armed = useShell((state) => state.armed);
  const devices = usePlant((state) => state.deviceById);
  const now = useNow(1000);
  const readOnly = useShell((state) => state.info?.readOnly ?? false);
  if (readOnly)
    return (
      <span className="chip chip-line">
        <Lock aria-hidden="true" className="i" />
        {say('lock.readonly')}
      </span>
    );
  if (armed.length === 0) {
    return (
      <button type="button" className="chip chip-line" onClick={() => useShell.setState({ arming: { devices: [] } })}>
        <Lock aria-hidden="true" className="i" />
        {say('lock.locked')}
      </button>
    );
  }
  const names = armed.map((entry) => {
    const device = devices.get(entry.device);
    return device ? both(device.name) : entry.device;
  });
  const left = formatClock(Math.max(0, Math.min(...armed.map((entry) => Date.parse(entry.until))) - now));
  return (
    <div className="lock" role="group" aria-label={say('lock.open.group', { devices: names.join(', ') })}>
      <span className="lock-open">
        <span className="hatch" aria-hidden="true" />
        <LockOpen aria-hidden="true" className="i" />
        <span className="lock-words">
          {say('lock.open')}
          <b title={names.join(', ')}>{names.length > 1 ? say('lock.devices', { n: names.length }) : names[0]}</b> <b>{left}</b>
        </span>
      </span>
      <button type="button" className="lock-now" aria-keyshortcuts="Control+Shift+L" onClick={() => void lockNow()}>
        {say('lock.now')}
      </button>
    </div>
  );
}

export async function lockNow(): Promise<void> {
  await callCore('arming.lock', { why: 'locked by a person' }).catch(() => undefined); // shown by the arming stream either way
}
