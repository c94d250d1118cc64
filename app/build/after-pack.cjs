/**
 * electron-builder's hook after the files are in place.
 * @param {{ appOutDir: string, packager: { getResourcesDir(folder: string): string } }} context
 */
exports.default = async ({ appOutDir, packager }) => {
  const { rm, writeFile } = require('node:fs/promises');
  const path = require('node:path');
  const resources = packager.getResourcesDir(appOutDir);
  // A runtime that was not downloaded by electron-builder brings along the app that `electron FOLDER` starts with; a
  // packaged app has no use for it.
  await rm(path.join(resources, 'default_app.asar'), { force: true });
  // Where new versions are told of: JSON, which is YAML as well. Without an address the app looks for none.
  const url = process.env.PILOTLIGHT_UPDATES_URL;
  const updates = { provider: 'generic', updaterCacheDirName: 'pilotlight-updater' };
  await writeFile(
    path.join(resources, 'app-update.yml'),
    `${JSON.stringify(url ? { ...updates, url } : updates)}\n`,
  );
};
