import { useEffect, useRef } from 'react';
import { ApprovalDock } from '../features/approval/ApprovalDock.tsx';
import { ChatPane } from '../features/chat/ChatPane.tsx';
import { ConnectionsSheet } from '../features/connections/ConnectionsSheet.tsx';
import { Drawer } from '../features/drawer/Drawer.tsx';
import { PlantPane } from '../features/plant/PlantPane.tsx';
import { RegistersPane } from '../features/registers/RegistersPane.tsx';
import { FirstRun } from '../features/settings/FirstRun.tsx';
import { TrendPane } from '../features/trend/TrendPane.tsx';
import { useApprovals } from '../client/approvals.ts';
import { sizeOf, useLayout, type Sized } from '../client/layout.ts';
import { useShell } from '../client/shell.ts';
import { Splitter } from '../ui/Splitter.tsx';
import { useWords } from '../words/words.ts';
import { leaveFill } from './fillPane.ts';

const sized: readonly Sized[] = ['plant', 'chat', 'trend', 'drawer'];

export function Workbench({ hidden }: { hidden: boolean }) {
  const { say } = useWords();
  const drawerOpen = useShell((state) => state.drawerOpen);
  const layout = useLayout();
  const box = useRef<HTMLElement>(null);
  const waiting = useApprovals((state) => state.waiting.length);
  useEffect(() => {
    for (const what of sized) box.current?.style.setProperty(`--s-${what}`, `${sizeOf(layout, what)}px`);
  }, [layout]);
  // A decision that waits must be seen, also by who has filled the window with one pane.
  useEffect(() => {
    if (waiting > 0) leaveFill();
  }, [waiting]);
  const shut = [layout.plantShut && 'plant-shut', layout.trendShut && 'trend-shut', drawerOpen && 'drawer-open'].filter(Boolean).join(' ');
  return (
    <main ref={box} className={`work ${hidden ? 'gone' : ''} ${shut}`} hidden={hidden} aria-label={say('screen.workbench')}>
      <PlantPane />
      <ChatPane dock={<ApprovalDock />} first={<FirstRun />} />
      <div className="evidence">
        <RegistersPane />
        <TrendPane />
        <Drawer />
        {!layout.trendShut && <Splitter what="trend" label={say('splitter.trend')} grows="up" />}
        {drawerOpen && <Splitter what="drawer" label={say('splitter.drawer')} grows="up" />}
        <ConnectionsSheet />
      </div>
      <Splitter what="plant" label={say('splitter.plant')} grows="right" />
      <Splitter what="chat" label={say('splitter.chat')} grows="right" />
    </main>
  );
}
