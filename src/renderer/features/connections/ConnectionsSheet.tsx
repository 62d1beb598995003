import { Plus, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { PlantSource } from '../../../shared/contracts/api.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { callCore } from '../../client/connection.ts';
import { loadPlant, usePlant } from '../../client/plant.ts';
import { closeSheet, useShell } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { TextField } from '../../ui/Field.tsx';
import { useWords } from '../../words/words.ts';
import { ConnectionRow } from './ConnectionRow.tsx';
import { HostScan } from './Scan.tsx';
import { addConnection, beginDraft, dropDraft, edit, emptyPlant, useDraft } from './draft.ts';
import { placesOf } from './problems.ts';

/** The plant file as a person edits it: a sheet at the right, the conversation stays usable beside it. */
export function ConnectionsSheet() {
  const open = useShell((state) => state.sheet === 'connections');
  return open ? <Sheet /> : null;
}

function Sheet() {
  const { say, lang } = useWords();
  const plant = usePlant((state) => state.plant);
  const { draft, changed, problems } = useDraft();
  const [source, setSource] = useState<PlantSource | null>(null);
  const [error, setError] = useState<HandrailError | null>(null);
  const [saved, setSaved] = useState(false);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  useEffect(() => {
    let gone = false;
    callCore('plant.source', {}).then(
      (now) => {
        if (gone) return;
        setSource(now);
        if (useDraft.getState().draft === null && now.kind === 'file' && plant) beginDraft({ file: plant, base: now.digest });
      },
      (failure: unknown) => !gone && setError(asHandrailError(failure)),
    );
    return () => {
      gone = true;
    };
  }, [plant]);
  // Every change is checked by the core's own rules; what is wrong stands at its field.
  useEffect(() => {
    if (!draft || !changed) return;
    let gone = false;
    const timer = setTimeout(() => {
      callCore('plant.check', { file: draft.file }).then(
        (found) => !gone && useDraft.setState({ problems: found }),
        (failure: unknown) => !gone && setError(asHandrailError(failure)),
      );
    }, 150);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [draft, changed]);
  const save = async (): Promise<void> => {
    if (!draft) return;
    setError(null);
    try {
      const found = await callCore('plant.check', { file: draft.file });
      useDraft.setState({ problems: found });
      if (found.length > 0) return;
      setSource(await callCore('plant.save', draft));
      dropDraft();
      await loadPlant();
      setSaved(true);
      head.current?.focus(); // the pressed button is off now and would lose it
    } catch (failure) {
      setError(asHandrailError(failure));
    }
  };
  const why = placesOf(problems, lang);
  const file = draft?.file;
  return (
    <aside className="pane sheet" aria-label={say('connections')} data-pane tabIndex={-1}>
      <div className="head">
        <h2 ref={head} tabIndex={-1}>
          {say('connections')}
        </h2>
        <span className="label cut grow" title={source?.path ?? undefined}>
          {draft && draft.base === null
            ? say('connections.new')
            : source?.kind === 'file'
              ? (source.path ?? '').replace(/^.*[\\/]/, '')
              : ''}
        </span>
        <button type="button" className="icon" aria-label={say('close')} title={say('close')} onClick={closeSheet}>
          <X aria-hidden="true" className="i" />
        </button>
      </div>
      <div className="sheet-body">
        {error && (
          <div className="notice" role="status">
            <ErrorText error={error} />
          </div>
        )}
        {saved && !changed && (
          <p className="notice" role="status">
            {say('connections.saved')}
          </p>
        )}
        {!file && source?.kind === 'simulated' && (
          <div className="sheet-section">
            <p>{say('connections.simulated')}</p>
            <button type="button" className="btn" onClick={() => beginDraft({ file: addConnection(emptyPlant()), base: null }, true)}>
              <Plus aria-hidden="true" className="i" />
              {say('connections.begin')}
            </button>
          </div>
        )}
        {file && (
          <>
            <div className="sheet-section fields">
              <TextField
                label={say('connections.name.en')}
                value={file.name.en}
                problem={why('/name/en')}
                onChange={(en) => edit((old) => ({ ...old, name: { ...old.name, en } }))}
              />
              <TextField
                label={say('connections.name.zh')}
                value={file.name.zh}
                problem={why('/name/zh')}
                onChange={(zh) => edit((old) => ({ ...old, name: { ...old.name, zh } }))}
              />
            </div>
            {file.connections.length === 0 && <p className="empty">{say('connections.none')}</p>}
            {file.connections.map((connection, i) => (
              <ConnectionRow
                key={i}
                file={file}
                index={i}
                saved={plant?.connections.some((other) => JSON.stringify(other) === JSON.stringify(connection)) ?? false}
                startsOpen={draft.base === null || file.connections.length === 1}
                connection={connection}
                why={why}
              />
            ))}
            <div className="sheet-section sheet-adds">
              <button type="button" className="btn" onClick={() => edit((old) => addConnection(old, { kind: 'tcp' }))}>
                <Plus aria-hidden="true" className="i" />
                {say('connections.add.tcp')}
              </button>
              <button type="button" className="btn" onClick={() => edit((old) => addConnection(old, { kind: 'rtu' }))}>
                <Plus aria-hidden="true" className="i" />
                {say('connections.add.serial')}
              </button>
            </div>
            <HostScan />
          </>
        )}
      </div>
      {file && (
        <div className="sheet-foot">
          <span className="grow sec" role="status">
            {problems.length > 0 ? say('connections.problems', { n: problems.length }) : changed ? say('connections.unsaved') : ''}
          </span>
          <button
            type="button"
            className="btn"
            disabled={!changed}
            onClick={() => {
              dropDraft();
              setError(null);
              if (source?.kind === 'file' && plant) beginDraft({ file: plant, base: source.digest });
            }}
          >
            {say('connections.discard')}
          </button>
          <button type="button" className="btn primary" disabled={!changed || problems.length > 0} onClick={() => void save()}>
            {say('save')}
          </button>
        </div>
      )}
    </aside>
  );
}
