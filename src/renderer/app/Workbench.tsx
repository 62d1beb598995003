import { ApprovalDock } from '../features/approval/ApprovalDock.tsx';
import { ConnectionsSheet } from '../features/connections/ConnectionsSheet.tsx';
import { ChatPane } from '../features/chat/ChatPane.tsx';
import { Drawer } from '../features/drawer/Drawer.tsx';
import { PlantPane } from '../features/plant/PlantPane.tsx';
import { RegistersPane } from '../features/registers/RegistersPane.tsx';
import { TrendPane } from '../features/trend/TrendPane.tsx';
import { useShell } from '../client/shell.ts';
import { useWords } from '../words/words.ts';

export function Workbench({ hidden }: { hidden: boolean }) {
  const { say } = useWords();
  const drawerOpen = useShell((state) => state.drawerOpen);
  return (
    <main
      className={`work ${hidden ? 'gone' : ''} ${drawerOpen ? 'drawer-open' : ''}`}
      hidden={hidden}
      aria-label={say('screen.workbench')}
    >
      <PlantPane />
      <ChatPane dock={<ApprovalDock />} />
      <div className="evidence">
        <RegistersPane />
        <TrendPane />
        <Drawer />
      </div>
      <ConnectionsSheet />
    </main>
  );
}
