import { Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Settings, SettingsPatch } from '../../../shared/contracts/settings.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { changeSettings, useSettings } from '../../client/settings.ts';
import { newConversation } from '../../client/asking.ts';
import { show, useShell } from '../../client/shell.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { useWords, type WordKey } from '../../words/words.ts';
import { ModelRows } from './ModelRows.tsx';
import { PlantChoice } from './PlantChoice.tsx';
import { TextSetting } from './TextSetting.tsx';

type Row = { section: WordKey; word: WordKey; explain: WordKey; control: ReactNode };

/** One column, a search on top; each row has its name, its value and one sentence. What the core refuses is said here. */
export function SettingsScreen() {
  const { say } = useWords();
  const { settings, loaded } = useSettings();
  const info = useShell((state) => state.info);
  const health = useShell((state) => state.health);
  const [search, setSearch] = useState('');
  const [error, setError] = useState<HandrailError | null>(null);
  const change = (patch: SettingsPatch): void => {
    setError(null);
    changeSettings(patch).catch((failure: unknown) => setError(asHandrailError(failure)));
  };
  const choice = <K extends 'lang' | 'theme' | 'density' | 'sendWith' | 'approveBy'>(
    key: K,
    values: readonly (Settings[K] & string)[],
    name: WordKey,
  ): ReactNode => (
    <Segments
      label={say(name)}
      value={settings[key]}
      onChange={(value) => change({ [key]: value })}
      options={values.map((value) => ({ value, label: say(`choice.${key}.${value}` as WordKey) }))}
    />
  );
  const rows: Row[] = [
    {
      section: 'settings.model',
      word: 'set.model',
      explain: 'set.model.explain',
      control: <ModelRows settings={settings} onChange={change} />,
    },
    {
      section: 'settings.plant',
      word: 'set.plant',
      explain: 'set.plant.explain',
      control: <PlantChoice />,
    },
    {
      section: 'settings.writing',
      word: 'set.operator',
      explain: 'set.operator.explain',
      control: <TextSetting label={say('set.operator')} value={settings.operator} onSave={(operator) => change({ operator })} />,
    },
    {
      section: 'settings.writing',
      word: 'set.approveBy',
      explain: 'set.approveBy.explain',
      control: choice('approveBy', ['hold', 'type'], 'set.approveBy'),
    },
    {
      section: 'settings.writing',
      word: 'set.readOnly',
      explain: 'set.readOnly.explain',
      control: <span>{say(settings.readOnly ? 'on' : 'off')}</span>,
    },
    {
      section: 'settings.sandbox',
      word: 'set.sandbox',
      explain: 'set.sandbox.explain',
      control: (
        <span>
          {(health?.sandbox ?? [])
            .map((entry) => `${entry.lang}: ${entry.level ? say(`level.${entry.level}`) : say('health.none')}`)
            .join(' · ') || '—'}
        </span>
      ),
    },
    { section: 'settings.display', word: 'set.lang', explain: 'set.lang.explain', control: choice('lang', ['en', 'zh'], 'set.lang') },
    {
      section: 'settings.display',
      word: 'set.theme',
      explain: 'set.theme.explain',
      control: choice('theme', ['auto', 'light', 'dark', 'contrast'], 'set.theme'),
    },
    {
      section: 'settings.display',
      word: 'set.density',
      explain: 'set.density.explain',
      control: choice('density', ['dense', 'regular', 'glove'], 'set.density'),
    },
    {
      section: 'settings.display',
      word: 'set.textHz',
      explain: 'set.textHz.explain',
      control: (
        <Segments
          label={say('set.textHz')}
          value={String(settings.textHz)}
          onChange={(value) => change({ textHz: Number(value) as 1 | 4 | 10 })}
          options={['1', '4', '10'].map((value) => ({ value, label: value }))}
        />
      ),
    },
    {
      section: 'settings.display',
      word: 'set.sendWith',
      explain: 'set.sendWith.explain',
      control: choice('sendWith', ['enter', 'ctrl-enter'], 'set.sendWith'),
    },
    {
      section: 'settings.display',
      word: 'set.sound',
      explain: 'set.sound.explain',
      control: (
        <label className="check">
          <input type="checkbox" checked={settings.sound} onChange={(event) => change({ sound: event.target.checked })} />
          {say(settings.sound ? 'on' : 'off')}
        </label>
      ),
    },
    {
      section: 'settings.data',
      word: 'set.historyDays',
      explain: 'set.historyDays.explain',
      control: (
        <TextSetting
          label={say('set.historyDays')}
          value={String(settings.historyDays)}
          onSave={(days) => change({ historyDays: Number(days) })}
        />
      ),
    },
    {
      section: 'settings.data',
      word: 'set.recordDays',
      explain: 'set.recordDays.explain',
      control: (
        <Segments
          label={say('set.recordDays')}
          value={String(settings.recordDays)}
          onChange={(days) => change({ recordDays: days === 'null' ? null : Number(days) })}
          options={[...new Set([null, 365, 1825, 3650, settings.recordDays])].map((days) => ({
            value: String(days),
            label: days === null ? say('set.recordDays.ever') : say('set.recordDays.days', { n: days }),
          }))}
        />
      ),
    },
    {
      section: 'settings.data',
      word: 'set.folder',
      explain: 'set.folder.explain',
      control: <span className="mono wrap">{info?.dataFolder ?? '—'}</span>,
    },
    {
      section: 'settings.about',
      word: 'set.first',
      explain: 'set.first.explain',
      control: (
        <button
          type="button"
          className="btn small"
          onClick={() => {
            change({ welcomed: false });
            void newConversation().catch(() => undefined);
            show('workbench');
          }}
        >
          {say('set.first.show')}
        </button>
      ),
    },
    { section: 'settings.about', word: 'set.version', explain: 'limits', control: <span>{info?.version ?? '—'}</span> },
  ];
  const wanted = search.trim().toLowerCase();
  const shown = rows.filter((row) => wanted === '' || `${say(row.word)} ${say(row.explain)}`.toLowerCase().includes(wanted));
  const sections = [...new Set(shown.map((row) => row.section))];
  return (
    <main className="settings" aria-label={say('screen.settings')}>
      <div className="settings-column" data-pane tabIndex={-1}>
        <label className="field">
          <Search aria-hidden="true" className="i" />
          <input
            type="search"
            value={search}
            placeholder={say('settings.find')}
            aria-label={say('settings.find')}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        {!loaded && <p className="notice">{say('settings.notLoaded')}</p>}
        {error && (
          <div className="notice" role="status">
            <ErrorText error={error} />
          </div>
        )}
        {sections.map((section) => (
          <section key={section} className="settings-section" aria-label={say(section)}>
            <h2>{say(section)}</h2>
            {shown
              .filter((row) => row.section === section)
              .map((row) => (
                <div className="set" key={row.word}>
                  <div>
                    <div className="set-name">{say(row.word)}</div>
                    <p className="set-explain">{say(row.explain)}</p>
                  </div>
                  <div className="set-control">{row.control}</div>
                </div>
              ))}
          </section>
        ))}
      </div>
    </main>
  );
}
