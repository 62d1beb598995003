import { useMemo, useState } from 'react';
import { ask, newConversation, stop } from '../client/asking.ts';
import { usePlant } from '../client/plant.ts';
import { changeSettings } from '../client/settings.ts';
import { show, toggleTrendTag, useShell } from '../client/shell.ts';
import { useWords } from '../words/words.ts';
import { lockNow } from './LockChip.tsx';
import { Modal } from './Modal.tsx';

type Command = { id: string; title: string; hint: string; run(): void };

/** Ctrl+K: commands with their keys, and tags. It lists everything that has a key, so that nothing is hidden. */
export function Palette() {
  const open = useShell((state) => state.palette);
  const { say } = useWords();
  return (
    <Modal open={open} className="palette" label={say('palette')} onClose={() => useShell.setState({ palette: false })}>
      <PaletteList />
    </Modal>
  );
}

function PaletteList() {
  const { say, both } = useWords();
  const plant = usePlant((state) => state.plant);
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const commands = useMemo((): Command[] => {
    const fixed: Command[] = [
      { id: 'workbench', title: say('screen.workbench'), hint: 'Ctrl+1', run: () => show('workbench') },
      { id: 'record', title: say('screen.record'), hint: 'Ctrl+2', run: () => show('record') },
      { id: 'logbench', title: say('screen.logbench'), hint: 'Ctrl+3', run: () => show('logbench') },
      { id: 'settings', title: say('screen.settings'), hint: 'Ctrl+4', run: () => show('settings') },
      { id: 'stop', title: say('palette.stop'), hint: 'Esc', run: () => void stop() },
      {
        id: 'message',
        title: say('palette.message'),
        hint: 'Ctrl+L',
        run: () => {
          show('workbench');
          requestAnimationFrame(() => document.getElementById('message')?.focus());
        },
      },
      { id: 'new', title: say('chat.new'), hint: '', run: () => void newConversation().catch(() => undefined) },
      {
        id: 'find',
        title: say('palette.find'),
        hint: 'F3',
        run: () => requestAnimationFrame(() => document.getElementById('find-tag')?.focus()),
      },
      {
        id: 'approval',
        title: say('palette.approval'),
        hint: 'Alt+A',
        run: () => requestAnimationFrame(() => document.getElementById('approval-title')?.focus()),
      },
      { id: 'lock', title: say('palette.lock'), hint: 'Ctrl+Shift+L', run: () => void lockNow() },
      { id: 'arm', title: say('arm.title'), hint: '', run: () => useShell.setState({ arming: { devices: [] } }) },
      {
        id: 'pause',
        title: say('palette.pause'),
        hint: 'F8',
        run: () => useShell.setState((old) => ({ paused: old.paused === null ? Date.now() : null })),
      },
      { id: 'drawer', title: say('palette.drawer'), hint: 'F9', run: () => useShell.setState((old) => ({ drawerOpen: !old.drawerOpen })) },
      { id: 'pane', title: say('palette.pane'), hint: 'F6', run: () => document.querySelector<HTMLElement>('[data-pane]')?.focus() },
      { id: 'zh', title: say('palette.zh'), hint: '', run: () => void changeSettings({ lang: 'zh' }).catch(() => undefined) },
      { id: 'en', title: say('palette.en'), hint: '', run: () => void changeSettings({ lang: 'en' }).catch(() => undefined) },
    ];
    const tags = (plant?.tags ?? []).map((tag): Command => ({
      id: `tag:${tag.id}`,
      title: both(tag.name),
      hint: tag.id,
      run: () => {
        show('workbench');
        useShell.setState({ selectedTag: tag.id });
        toggleTrendTag(tag.id);
      },
    }));
    return [...fixed, ...tags];
  }, [say, both, plant]);
  const wanted = search.trim().toLowerCase();
  const found = commands
    .filter((command) => wanted === '' || `${command.title} ${command.hint}`.toLowerCase().includes(wanted))
    .slice(0, 60);
  const asking: Command[] =
    wanted === ''
      ? []
      : [
          {
            id: 'ask',
            title: say('palette.ask', { text: search.trim() }),
            hint: '',
            run: () => {
              show('workbench');
              void ask(search);
            },
          },
        ];
  const list = [...found, ...asking];
  const chosen = Math.min(at, list.length - 1);
  const run = (command: Command | undefined): void => {
    useShell.setState({ palette: false });
    if (command) requestAnimationFrame(() => command.run());
  };
  return (
    <>
      <input
        className="input"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={list[chosen] ? `palette-${list[chosen].id}` : undefined}
        aria-label={say('palette')}
        placeholder={say('palette.placeholder')}
        value={search}
        onChange={(event) => {
          setSearch(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, list.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
          else if (event.key === 'Enter') run(list[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={say('palette')}>
        {list.map((command, i) => (
          <li
            key={command.id}
            id={`palette-${command.id}`}
            role="option"
            aria-selected={i === chosen}
            onClick={() => run(command)}
            ref={i === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
          >
            <span className="grow cut">{command.title}</span>
            <span className="sec">{command.hint}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
