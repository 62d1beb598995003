import { usePlant } from '../client/plant.ts';
import { show, useShell, type Screen } from '../client/shell.ts';
import { useWords, type WordKey } from '../words/words.ts';
import { LockChip } from './LockChip.tsx';
import { StopButton } from './StopButton.tsx';

const screens: { screen: Screen; word: WordKey }[] = [
  { screen: 'workbench', word: 'screen.workbench' },
  { screen: 'record', word: 'screen.record' },
  { screen: 'logbench', word: 'screen.logbench' },
  { screen: 'settings', word: 'screen.settings' },
];

export function TitleBar() {
  const { say, both } = useWords();
  const screen = useShell((state) => state.screen);
  const plant = usePlant((state) => state.plant);
  return (
    <header className="title">
      <h1 className="brand">
        <svg className="brand-rail" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 7h16M4 12h16M6 7v12M18 7v12" />
        </svg>
        {say('brand')}
      </h1>
      <nav className="nav" aria-label={say('screens')}>
        {screens.map((entry, i) => (
          <button
            key={entry.screen}
            type="button"
            aria-current={screen === entry.screen ? 'page' : undefined}
            aria-keyshortcuts={`Control+${i + 1}`}
            onClick={() => show(entry.screen)}
          >
            {say(entry.word)}
          </button>
        ))}
      </nav>
      {plant && (
        <span className="site hide-narrow">
          {both(plant.name)}
          {plant.simulated && (
            <abbr className="sim" title={say('plant.simulated')}>
              {say('plant.sim')}
            </abbr>
          )}
        </span>
      )}
      <span className="grow" />
      <LockChip />
      <StopButton />
    </header>
  );
}
