import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 100;
/** An unsigned directory after this time belongs to a run that was killed before it signed. */
const UNSIGNED_MS = 5000;

/**
 * Runs the work under a lock of this machine. The lock is a directory, because creating a directory is atomic
 * everywhere, with a file for every process that does the work. If all of them are gone, a killed run has
 * left it.
 * @param work receives `sign(pid)`, for processes that would outlive this one
 */
export async function withLock(directory, work, onWait) {
  fs.mkdirSync(path.dirname(directory), { recursive: true });
  const sign = (pid) => fs.writeFileSync(path.join(directory, String(pid)), '');
  let waiting = false;
  while (!acquire(directory)) {
    if (isAbandoned(directory)) {
      fs.rmSync(directory, { recursive: true, force: true });
      continue;
    }
    if (!waiting) onWait();
    waiting = true;
    await pause(POLL_MS);
  }
  sign(process.pid);
  try {
    return await work(sign);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

function acquire(directory) {
  try {
    fs.mkdirSync(directory);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAbandoned(directory) {
  try {
    const owners = fs.readdirSync(directory).map(Number);
    if (owners.length > 0) return !owners.some(isAlive);
    return Date.now() - fs.statSync(directory).mtimeMs > UNSIGNED_MS;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
