// Which Node is too old. This file must load on each of them, so it is as plain as it can be.

/**
 * @param engines those of package.json
 * @returns what is wrong with this Node, or undefined
 */
function faultOfNode(engines) {
  const [, floor] = /^>=(\d+\.\d+)\.0$/.exec(engines.node);
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [floorMajor, floorMinor] = floor.split('.').map(Number);
  const isOld = major < floorMajor || (major === floorMajor && minor < floorMinor);
  return isOld ? `This needs Node ${floor} or newer, and here is Node ${process.versions.node}` : undefined;
}

/** The first thing that a program of the build does. */
function demandNode(engines) {
  const fault = faultOfNode(engines);
  if (fault === undefined) return;
  console.error(`${fault}.`);
  process.exit(1);
}

module.exports = { faultOfNode, demandNode };
