// Says in words that Node is too old. Imports nothing that an old Node could not load.

const FLOOR = [20, 19];

/** Ends the process where this Node is older than Pilotlight needs. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [floorMajor = 0, floorMinor = 0] = FLOOR;
  if (major > floorMajor || (major === floorMajor && minor >= floorMinor)) return;
  process.stderr.write(
    `Pilotlight needs Node ${FLOOR.join('.')} or newer; this is ${process.versions.node}. Get a newer one from nodejs.org.\n`,
  );
  process.exit(1);
}
