import type { SettingsPatch } from '../../protocol/settings.js';
import { ApiError } from '../api/error.js';
import { useAct } from '../shell/act.js';
import type { SettingsProps } from './settings-view.js';

/** Changes a setting that has no place for its failure; a notice tells it. */
export function useChange(change: SettingsProps['change']): (patch: SettingsPatch) => void {
  const act = useAct();
  return (patch) =>
    void act('settings', async () => {
      const refused = await change(patch);
      if (refused !== null) throw new ApiError('refused', refused);
    });
}
