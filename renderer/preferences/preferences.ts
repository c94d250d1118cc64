/** The one store of preferences of this window. */
import { changeSettings } from '../api/settings.js';
import { useStore } from '../shell/use-store.js';
import { storedPreferences } from './look.js';
import { PreferenceStore } from './preference-store.js';

export const preferences = new PreferenceStore(
  storedPreferences(),
  async (patch) => (await changeSettings({ preferences: patch })).preferences,
);

export function usePreferences() {
  return useStore(preferences);
}
