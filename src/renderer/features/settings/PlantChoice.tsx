import { FolderOpen, Plug } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PlantSource } from '../../../shared/contracts/api.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { loadPlant, usePlant } from '../../client/plant.ts';
import { show, useShell } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { useWords } from '../../words/words.ts';

const fileName = (path: string): string => path.replace(/^.*[\\/]/, '');

/** Which plant is open, and the ways to another one; what cannot be opened says why and changes nothing. */
export function PlantChoice() {
  const { say, both } = useWords();
  const plant = usePlant((state) => state.plant);
  const [source, setSource] = useState<PlantSource | null>(null);
  const [error, setError] = useState<HandrailError | null>(null);
  const take = (work: Promise<PlantSource>, changed: boolean): void => {
    setError(null);
    work.then(
      async (now) => {
        setSource(now);
        if (changed) await loadPlant();
      },
      (failure: unknown) => setError(asHandrailError(failure)),
    );
  };
  useEffect(() => {
    let gone = false;
    callCore('plant.source', {}).then(
      (now) => !gone && setSource(now),
      (failure: unknown) => !gone && setError(asHandrailError(failure)),
    );
    return () => {
      gone = true;
    };
  }, [plant]);
  const here = source?.path ? fileName(source.path) : null;
  return (
    <div className="choices-column">
      <label className="check">
        <input
          type="radio"
          name="plant"
          checked={source?.kind === 'simulated'}
          onChange={() => take(callCore('plant.use', { name: null }), true)}
        />
        {say('plant.choice.simulated')}
      </label>
      {[...new Set([...(source?.known ?? []), ...(here !== null ? [here] : [])])].map((name) => (
        <label className="check" key={name}>
          <input type="radio" name="plant" checked={here === name} onChange={() => take(callCore('plant.use', { name }), true)} />
          <span className="mono wrap">{name}</span>
          {here === name && plant && <span className="sec">{both(plant.name)}</span>}
        </label>
      ))}
      <div className="sheet-adds">
        <label className="btn small file-button">
          <FolderOpen aria-hidden="true" className="i" />
          {say('plant.choice.open')}
          <input
            type="file"
            className="vh"
            accept=".json,.jsonc,application/json"
            onChange={(event) => {
              const file = event.target.files?.[0];
              event.target.value = '';
              if (file)
                take(
                  file.text().then((text) => callCore('plant.open', { name: file.name, text })),
                  true,
                );
            }}
          />
        </label>
        <button
          type="button"
          className="btn small"
          onClick={() => {
            show('workbench');
            useShell.setState({ sheet: 'connections' });
          }}
        >
          <Plug aria-hidden="true" className="i" />
          {say(source?.kind === 'file' ? 'connections.edit' : 'plant.choice.connect')}
        </button>
      </div>
      {error && <ErrorText error={error} />}
    </div>
  );
}
