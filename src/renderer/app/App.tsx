import { useEffect } from 'react';
import { useConnection } from '../client/connection.ts';
import { useSettings } from '../client/settings.ts';
import { useShell } from '../client/shell.ts';
import { LogBench } from '../features/logbench/LogBench.tsx';
import { RecordScreen } from '../features/record/RecordScreen.tsx';
import { SettingsScreen } from '../features/settings/SettingsScreen.tsx';
import { useWords } from '../words/words.ts';
import { ArmDialog } from './ArmDialog.tsx';
import { LostBand } from './LostBand.tsx';
import { Palette } from './Palette.tsx';
import { Speaker } from './Speaker.tsx';
import { StatusBar } from './StatusBar.tsx';
import { TitleBar } from './TitleBar.tsx';
import { UnknownWrites } from './UnknownWrites.tsx';
import { Workbench } from './Workbench.tsx';
import { useCoreData } from './useCoreData.ts';
import { useKeyboard } from './useKeyboard.ts';

export function App() {
  useCoreData();
  useKeyboard();
  useDocumentLook();
  const screen = useShell((state) => state.screen);
  const opened = useConnection((state) => state.client !== null || state.state === 'lost');
  const { say } = useWords();
  return (
    <div className="app">
      <a
        className="skip"
        href="#message"
        onClick={(event) => {
          event.preventDefault();
          useShell.setState({ screen: 'workbench' });
          requestAnimationFrame(() => document.getElementById('message')?.focus());
        }}
      >
        {say('skip')}
      </a>
      <TitleBar />
      <LostBand />
      <UnknownWrites />
      {/* The workbench stays mounted, so that a running turn, a card or a half-written message survive a look elsewhere. */}
      <Workbench hidden={screen !== 'workbench'} />
      {screen === 'record' && <RecordScreen />}
      {screen === 'logbench' && <LogBench />}
      {screen === 'settings' && <SettingsScreen />}
      {!opened && screen === 'workbench' && <p className="connecting">{say('connection.connecting')}</p>}
      <StatusBar />
      <ArmDialog />
      <Palette />
      <Speaker />
    </div>
  );
}

/** Language, theme and density stand on the document; every colour and size follows from there. */
function useDocumentLook(): void {
  const { lang, theme, density } = useSettings((state) => state.settings);
  useEffect(() => {
    const root = document.documentElement;
    root.lang = lang === 'zh' ? 'zh-CN' : 'en';
    root.dataset.density = density;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const more = matchMedia('(prefers-contrast: more)');
    const apply = (): void => {
      root.dataset.theme = theme !== 'auto' ? theme : more.matches ? 'contrast' : dark.matches ? 'dark' : 'light';
    };
    apply();
    dark.addEventListener('change', apply);
    more.addEventListener('change', apply);
    return () => {
      dark.removeEventListener('change', apply);
      more.removeEventListener('change', apply);
    };
  }, [lang, theme, density]);
}
