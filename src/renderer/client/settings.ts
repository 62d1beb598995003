import { create } from 'zustand';
import type { Settings, SettingsPatch } from '../../shared/contracts/settings.ts';
import { callCore } from './connection.ts';
import { initialSettings } from './initialSettings.ts';

type SettingsState = { settings: Settings; loaded: boolean };
export const useSettings = create<SettingsState>()(() => ({ settings: initialSettings(), loaded: false }));

export async function loadSettings(): Promise<void> {
  useSettings.setState({ settings: await callCore('settings.get', {}), loaded: true });
}

/** The core keeps settings; what it answers is what holds. */
export async function changeSettings(patch: SettingsPatch): Promise<void> {
  useSettings.setState({ settings: await callCore('settings.set', patch), loaded: true });
}
