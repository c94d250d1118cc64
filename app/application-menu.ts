import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuAction } from './menu-entry.js';
import { say } from './words.js';

/**
 * The menu bar. macOS shows it; elsewhere it is hidden until Alt is pressed, and its shortcuts work all the same.
 * Reload is for developers only: it would cut off an answer.
 */
export function setApplicationMenu(onAction: (action: MenuAction) => void): void {
  const mac = process.platform === 'darwin';
  const command = (label: string, action: MenuAction): MenuItemConstructorOptions => ({
    label,
    click: () => onAction(action),
  });
  const developer: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }];
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: say('menu_file'),
      submenu: [
        command(say('quick_ask'), { type: 'quick-ask' }),
        { type: 'separator' },
        command(say('open_models_folder'), { type: 'open-models-folder' }),
        command(say('copy_address'), { type: 'copy-address' }),
        { type: 'separator' },
        { role: 'close', label: say('role_close') },
        ...(mac ? [] : [{ role: 'quit', label: say('quit_short') } as const]),
      ],
    },
    {
      role: 'editMenu',
      label: say('menu_edit'),
      // macOS has more of its own in it, in the system's language.
      ...(mac
        ? {}
        : {
            submenu: [
              { role: 'undo', label: say('role_undo') },
              { role: 'redo', label: say('role_redo') },
              { type: 'separator' },
              { role: 'cut', label: say('role_cut') },
              { role: 'copy', label: say('role_copy') },
              { role: 'paste', label: say('role_paste') },
              { role: 'selectAll', label: say('role_select_all') },
            ],
          }),
    },
    {
      label: say('menu_view'),
      submenu: [
        { role: 'resetZoom', label: say('role_reset_zoom') },
        { role: 'zoomIn', label: say('role_zoom_in') },
        { role: 'zoomOut', label: say('role_zoom_out') },
        { type: 'separator' },
        { role: 'togglefullscreen', label: say('role_full_screen') },
        ...developer,
      ],
    },
    {
      role: 'windowMenu',
      label: say('menu_window'),
      ...(mac ? {} : { submenu: [{ role: 'minimize', label: say('role_minimize') }] }),
    },
    {
      role: 'help',
      label: say('menu_help'),
      submenu: [
        command(say('check_for_updates'), { type: 'check-for-update' }),
        command(say('about'), { type: 'about' }),
      ],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
