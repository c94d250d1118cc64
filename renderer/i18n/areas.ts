/** The English messages, which are the table of all there are: an area is a folder of messages/. */
import attachments from '../../messages/attachments/en.json';
import chat from '../../messages/chat/en.json';
import chat_settings from '../../messages/chat_settings/en.json';
import commands from '../../messages/commands/en.json';
import common from '../../messages/common/en.json';
import desktop from '../../messages/desktop/en.json';
import developer from '../../messages/developer/en.json';
import discover from '../../messages/discover/en.json';
import downloads from '../../messages/downloads/en.json';
import errors from '../../messages/errors/en.json';
import installed from '../../messages/installed/en.json';
import modelSettings from '../../messages/model-settings/en.json';
import models from '../../messages/models/en.json';
import notices from '../../messages/notices/en.json';
import palette from '../../messages/palette/en.json';
import presets from '../../messages/presets/en.json';
import quick from '../../messages/quick/en.json';
import search from '../../messages/search/en.json';
import settings from '../../messages/settings/en.json';
import shell from '../../messages/shell/en.json';
import sidebar from '../../messages/sidebar/en.json';
import tools from '../../messages/tools/en.json';
import transfer from '../../messages/transfer/en.json';
import tray from '../../messages/tray/en.json';
import units from '../../messages/units/en.json';
import welcome from '../../messages/welcome/en.json';

export const english = {
  attachments,
  chat,
  chat_settings,
  commands,
  common,
  desktop,
  developer,
  discover,
  downloads,
  errors,
  installed,
  'model-settings': modelSettings,
  models,
  notices,
  palette,
  presets,
  quick,
  search,
  settings,
  shell,
  sidebar,
  tools,
  transfer,
  tray,
  units,
  welcome,
};

type Areas = typeof english;

/** Such as "common.cancel": area and key. */
export type MessageKey = { [A in keyof Areas]: `${A}.${keyof Areas[A] & string}` }[keyof Areas];
