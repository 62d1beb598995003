import { useState } from 'react';
import type { ModelChoice } from '../../../shared/contracts/api.ts';
import type { Settings, SettingsPatch } from '../../../shared/contracts/settings.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useWords } from '../../words/words.ts';

const kinds = ['builtin', 'ollama', 'openai'] as const;
const usualAddress: Record<(typeof kinds)[number], string> = {
  builtin: '',
  ollama: 'http://127.0.0.1:11434',
  openai: 'http://127.0.0.1:1234/v1',
};

/** Three planners behind one port. A server is asked for its models when a person chooses it or presses Test, never by itself. */
export function ModelRows({ settings, onChange }: { settings: Settings; onChange: (patch: SettingsPatch) => void }) {
  const { say } = useWords();
  const { model } = settings;
  const [baseUrl, setBaseUrl] = useState<string | null>(null);
  const [found, setFound] = useState<ModelChoice[] | null>(null);
  const [error, setError] = useState<HandrailError | null>(null);
  const [testing, setTesting] = useState(false);
  const address = baseUrl ?? model.baseUrl;
  const test = async (kind = model.kind, baseUrl = address): Promise<void> => {
    if (kind === 'builtin') return;
    setTesting(true);
    setError(null);
    setFound(null);
    try {
      setFound(await callCore('model.list', { kind, baseUrl }, { timeoutMs: 15_000 }));
    } catch (failure) {
      setError(asHandrailError(failure));
    }
    setTesting(false);
  };
  return (
    <div className="models">
      {kinds.map((kind) => (
        <label className="check" key={kind}>
          <input
            type="radio"
            name="model"
            checked={model.kind === kind}
            onChange={() => {
              setFound(null);
              setError(null);
              setBaseUrl(null);
              onChange({ model: { ...model, kind, baseUrl: usualAddress[kind] || model.baseUrl, name: '' } });
              void test(kind, usualAddress[kind]);
            }}
          />
          {say(`model.${kind}`)}
        </label>
      ))}
      {model.kind !== 'builtin' && (
        <form
          className="model-address"
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ model: { ...model, baseUrl: address } });
            void test();
          }}
        >
          <input className="input" aria-label={say('model.address')} value={address} onChange={(event) => setBaseUrl(event.target.value)} />
          <button type="submit" className="btn small" disabled={testing}>
            {say(testing ? 'model.testing' : 'model.test')}
          </button>
        </form>
      )}
      {error && <ErrorText error={error} />}
      {found && found.length === 0 && <p>{say('model.noneFound')}</p>}
      {found?.map((choice) => (
        <label className="check" key={choice.name}>
          <input
            type="radio"
            name="model-name"
            checked={model.name === choice.name}
            onChange={() => onChange({ model: { ...model, baseUrl: address, name: choice.name } })}
          />
          <span className="mono">{choice.name}</span>
          <span className="sec">
            {choice.tools === null ? say('model.tools.unknown') : say(choice.tools ? 'model.tools.yes' : 'model.tools.no')}
          </span>
        </label>
      ))}
      {model.kind !== 'builtin' && !found && model.name !== '' && <span className="mono">{model.name}</span>}
    </div>
  );
}
