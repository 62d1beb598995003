import { create } from 'zustand';
import type { AppInfo, Health } from '../../shared/contracts/api.ts';
import type { Armed } from '../../shared/contracts/approvals.ts';

export type Screen = 'workbench' | 'record' | 'logbench' | 'settings';
export type DrawerTab = 'traffic' | 'record' | 'health';
type ShellState = {
  screen: Screen;
  drawer: DrawerTab;
  drawerOpen: boolean;
  treeOpen: boolean;
  palette: boolean;
  /** The find bar of the conversation is open. */
  finding: boolean;
  /** What lies over the evidence at the right. */
  sheet: 'connections' | null;
  arming: { devices: string[] } | null;
  paused: number | null;
  selectedTag: string | null;
  trendTags: string[];
  info: AppInfo | null;
  health: Health | null;
  armed: Armed[];
  /** The last line for screen readers; polite. */
  spoken: string;
  alert: string;
};
export const useShell = create<ShellState>()(() => ({
  screen: 'workbench',
  drawer: 'traffic',
  // With the drawer open a low window would show a handful of registers.
  drawerOpen: innerWidth >= 1280 && innerHeight >= 840,
  treeOpen: false,
  palette: false,
  finding: false,
  sheet: null,
  arming: null,
  paused: null,
  selectedTag: null,
  trendTags: [],
  info: null,
  health: null,
  armed: [],
  spoken: '',
  alert: '',
}));

/** Closes what lies over the evidence; the focus goes back to what opened it. */
export function closeSheet(): void {
  useShell.setState({ sheet: null });
  requestAnimationFrame(() => document.getElementById('open-connections')?.focus());
}
export const show = (screen: Screen): void => useShell.setState({ screen });
export const speak = (spoken: string): void => useShell.setState({ spoken });
export const mostTrendTags = 8;
/** A tag goes onto the trend or off it; the eighth is the last. */
export function toggleTrendTag(tag: string): void {
  useShell.setState(({ trendTags }) => ({
    trendTags: trendTags.includes(tag) ? trendTags.filter((other) => other !== tag) : [...trendTags, tag].slice(-mostTrendTags),
  }));
}
