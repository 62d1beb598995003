import { useState } from 'react';
import type { Settings } from '../../shared/contracts/settings.ts';
import { asHandrailError, type HandrailError } from '../../shared/errors.ts';
import { callCore } from '../client/connection.ts';
import { usePlant } from '../client/plant.ts';
import { useSettings } from '../client/settings.ts';
import { useShell } from '../client/shell.ts';
import { ErrorText } from '../ui/ErrorText.tsx';
import { useWords } from '../words/words.ts';
import { Modal } from './Modal.tsx';

const minuteChoices = [5, 10, 15] as const;

/** Opening writing for named devices and a bounded time. */
export function ArmDialog() {
  const arming = useShell((state) => state.arming);
  const settings = useSettings((state) => state.settings);
  const { say } = useWords();
  return (
    <Modal open={arming !== null} className="arm" label={say('arm.title')} onClose={() => useShell.setState({ arming: null })}>
      {arming && <ArmForm asked={arming.devices} settings={settings} />}
    </Modal>
  );
}

function ArmForm({ asked, settings }: { asked: string[]; settings: Settings }) {
  const { say, both } = useWords();
  const plant = usePlant((state) => state.plant);
  const writable = (plant?.devices ?? []).filter((device) => plant?.tags.some((tag) => tag.device === device.id && tag.write.allowed));
  const [devices, setDevices] = useState<string[]>(asked.filter((device) => writable.some((other) => other.id === device)));
  const [minutes, setMinutes] = useState<(typeof minuteChoices)[number]>(5);
  const [reason, setReason] = useState('');
  const [operator, setOperator] = useState(settings.operator);
  const [error, setError] = useState<HandrailError | null>(null);
  const missing =
    devices.length === 0
      ? say('arm.missing.device')
      : reason.trim() === ''
        ? say('arm.missing.reason')
        : operator.trim() === ''
          ? say('arm.missing.operator')
          : null;
  const close = (): void => useShell.setState({ arming: null });

  const submit = async (): Promise<void> => {
    if (missing !== null) return;
    try {
      await callCore('arming.arm', { devices, minutes, reason: reason.trim(), operator: operator.trim() });
      close();
    } catch (failure) {
      setError(asHandrailError(failure));
    }
  };
  return (
    <form
      method="dialog"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{say('arm.title')}</h2>
      <p className="sec">{say('arm.explain')}</p>
      <fieldset>
        <legend>{say('arm.devices')}</legend>
        {writable.length === 0 && <p>{say('arm.none')}</p>}
        {writable.map((device) => (
          <label key={device.id} className="check">
            <input
              type="checkbox"
              checked={devices.includes(device.id)}
              onChange={(event) =>
                setDevices(event.target.checked ? [...devices, device.id] : devices.filter((other) => other !== device.id))
              }
            />
            {both(device.name)} <span className="sec">{say('unit.of', { unit: device.unitId, connection: device.connection })}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{say('arm.duration')}</legend>
        <div className="arm-minutes">
          {minuteChoices.map((choice) => (
            <label key={choice} className="check">
              <input type="radio" name="minutes" checked={minutes === choice} onChange={() => setMinutes(choice)} />
              {say('arm.minutes', { n: choice })}
            </label>
          ))}
        </div>
      </fieldset>
      <label className="row-field">
        {say('arm.reason')}
        <input className="input" value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
      </label>
      <label className="row-field">
        {say('arm.operator')}
        <input className="input" value={operator} maxLength={80} onChange={(event) => setOperator(event.target.value)} />
      </label>
      {error && <ErrorText error={error} />}
      <p className="sec limits">{say('limits')}</p>
      <div className="arm-do">
        <span className="sec" role="status">
          {missing}
        </span>
        <button type="button" className="btn act-size" onClick={close}>
          {say('cancel')}
        </button>
        <button type="submit" className="btn act-size hand-outline" disabled={missing !== null}>
          {say('arm.open')}
        </button>
      </div>
    </form>
  );
}
