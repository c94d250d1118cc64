/**
 * electron-builder's hook after the files are in place. A runtime that was not downloaded by electron-builder brings
 * along the app that `electron FOLDER` starts with; a packaged app has no use for it.
 * @param {{ appOutDir: string }} context
 */
exports.default = async ({ appOutDir }) => {
  const { rm } = require('node:fs/promises');
  const path = require('node:path');
  await rm(path.join(appOutDir, 'resources', 'default_app.asar'), { force: true });
};
