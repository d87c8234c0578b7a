// Brings Node to a machine whose own is too old: the binary of the packages that the npm package `node`
// installs. That package runs an install script, which bypasses the lock file.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault, runQuietly, say } from './step.mjs';

const LOCK = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node', 'package-lock.json');
const PLATFORM = `node-${process.platform}-${process.arch}`;

/**
 * Downloads it unless an earlier run has.
 * @param fault what is wrong with the Node of this machine
 * @returns the directory of its binary
 */
export async function bringNode(fault, sign) {
  const pinned = JSON.parse(fs.readFileSync(LOCK, 'utf8')).packages[`node_modules/${PLATFORM}`];
  if (pinned === undefined) throw new Fault(`${fault}.`);
  const target = path.resolve('.local', 'engines', `node-${pinned.version}`);
  if (!fs.existsSync(target)) {
    say(`${fault}: installing Node ${pinned.version} into .local…`);
    await install(pinned, target, sign);
  }
  return path.join(target, 'package', 'bin');
}

/** The directory gets its name when the binary in it has run. */
async function install({ version, integrity }, target, sign) {
  const draft = `${target}.draft`;
  const [packed, binary] = [`${PLATFORM}-${version}.tgz`, path.join('package', 'bin', 'node')];
  const run = (command, ...args) => runQuietly(`Installing Node ${version}`, command, args, sign);
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { recursive: true });
  await run('npm', 'pack', `${PLATFORM}@${version}`, '--pack-destination', draft);
  if (digestOf(path.join(draft, packed)) !== integrity)
    throw new Fault(`${PLATFORM}@${version} is not the package that ${LOCK} names.`);
  await run('tar', '-xzf', path.join(draft, packed), '-C', draft, binary);
  await run(path.join(draft, binary), '--version');
  fs.rmSync(path.join(draft, packed));
  fs.renameSync(draft, target);
}

const digestOf = (file) => `sha512-${createHash('sha512').update(fs.readFileSync(file)).digest('base64')}`;
