import { useMemo, useState } from 'react';
import { ask } from '../client/asking.ts';
import { usePlant } from '../client/plant.ts';
import { show, toggleTrendTag, useShell } from '../client/shell.ts';
import { useWords } from '../words/words.ts';
import { commands } from './commands.ts';
import { Modal } from './Modal.tsx';

type Entry = { id: string; title: string; hint: string; run: () => void };

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
  const all = useMemo((): Entry[] => {
    const fixed = commands
      .filter((command) => command.id !== 'palette' && command.id !== 'settings-too')
      .map((command): Entry => ({
        id: command.id,
        title: say(command.word),
        hint:
          command.key === null ? '' : command.panes && command.id !== 'stop' ? say('palette.inPane', { key: command.key }) : command.key,
        run: command.run,
      }));
    const tags = (plant?.tags ?? []).map((tag): Entry => ({
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
  const found = all.filter((command) => wanted === '' || `${command.title} ${command.hint}`.toLowerCase().includes(wanted)).slice(0, 60);
  const asking: Entry[] =
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
  const run = (command: Entry | undefined): void => {
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
