import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Reads one line, written when the process has ended. End of file without a line means that the parent is
 * gone: then the process is asked to end, killed if it does not, and its directory is removed.
 */
const WATCHDOG = `
pid=$1 signal=$2 directory=$3
read -r released && exit
kill -s "$signal" "$pid" 2>/dev/null
tick=0
while [ $tick -lt 30 ] && kill -0 "$pid" 2>/dev/null; do
  sleep 0.1
  tick=$((tick + 1))
done
kill -s KILL "$pid" 2>/dev/null
[ -z "$directory" ] || rm -rf -- "$directory"
`;

export interface Ward {
  readonly pid: number;
  readonly signal: NodeJS.Signals;
  /** Removed together with the process if this process dies first. */
  readonly throwAwayDirectory?: string;
}

/**
 * Ends a process within three seconds if this one dies first. The watchdog is a tiny shell in its own
 * session, out of reach of Ctrl-C and signals to our group.
 * @returns a function to call once the process has ended
 */
export function guard({ pid, signal, throwAwayDirectory = '' }: Ward): () => void {
  const name = signal.replace('SIG', '');
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'watchdog', String(pid), name, throwAwayDirectory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  watchdog.unref();
  (watchdog.stdin as Socket).unref();
  watchdog.stdin.on('error', () => undefined);
  return () => watchdog.stdin.end('released\n');
}
