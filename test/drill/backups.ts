import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from '../../src/dev/engines';
import { copyWhileRunning, writeAsOwner } from '../harness/base-backup';
import { onServer } from '../harness/engines';

const run = promisify(execFile);

/** Postgres archives its log at least this often while it is written to. */
export const ARCHIVE_EVERY_SECONDS = 5;

/** GNU tar's exit code after a file that changed or vanished while it was read. */
const CHANGED_MEANWHILE = 1;

/** The last base backup of a Postgres and the archive of its log, which outlive its data. */
export class Backups {
  private readonly archive: string;
  private readonly base: string;
  private label = '';

  constructor(directory: string) {
    this.archive = join(directory, 'archive');
    this.base = join(directory, 'base.tar');
  }

  /** Makes the server archive its log from its next start on. */
  async archiveLogOf({ url, dataDir }: Engine): Promise<void> {
    const { uid, gid } = statSync(dataDir);
    mkdirSync(this.archive);
    chownSync(this.archive, uid, gid);
    // A segment gets its name once it is complete, because a restore must not read half a segment.
    const copy = `cp %p ${this.archive}/.%f && mv ${this.archive}/.%f ${this.archive}/%f`;
    for (const [name, value] of Object.entries({
      archive_mode: 'on',
      archive_command: `test ! -f ${this.archive}/%f && ${copy}`,
      archive_timeout: `${ARCHIVE_EVERY_SECONDS}s`,
    }))
      await onServer(`alter system set ${name} = '${value}'`, url);
  }

  /** Returns once the archive has all of the log that the backup needs. */
  async take(engine: Engine): Promise<void> {
    const left = ['pg_wal/*', 'postmaster.*', 'server.log'].map((name) => `--exclude=./${name}`);
    const tar = () => run('tar', ['-C', engine.dataDir, ...left, '-cf', this.base, '.']).catch(unlessChanged);
    this.label = await copyWhileRunning(engine, tar);
  }

  /** @param target a moment after the backup; the end of the archive unless given */
  async restoreInto(dataDir: string, target?: Date): Promise<void> {
    mkdirSync(dataDir);
    await run('tar', ['-C', dataDir, '-xpf', this.base]);
    const { uid, gid } = statSync(this.archive);
    chownSync(dataDir, uid, gid);
    chmodSync(dataDir, 0o700);
    writeAsOwner(dataDir, 'backup_label', this.label);
    writeAsOwner(dataDir, 'recovery.signal', '');
    const settings = [
      `restore_command = 'cp ${this.archive}/%f %p'`,
      // A server that starts knows no abbreviations of time zones, such as Z.
      `recovery_target_time = '${target?.toISOString().replace('Z', '+00') ?? ''}'`,
      `recovery_target_action = 'promote'`,
    ];
    appendFileSync(join(dataDir, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  }

  get baseBytes(): number {
    return statSync(this.base).size;
  }

  /** Bytes of log that a restore replays: the segments since the backup began. */
  get logBytes(): number {
    const first = /\(file (\w+)\)/.exec(this.label)![1]!;
    const segments = readdirSync(this.archive).filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first);
    return segments.reduce((sum, name) => sum + statSync(join(this.archive, name)).size, 0);
  }
}

function unlessChanged(error: Error & { code?: unknown }): void {
  if (error.code !== CHANGED_MEANWHILE) throw error;
}

/** Loses the server with all that is on its disk. */
export async function destroy({ pid, ended, dataDir }: Engine): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await ended;
  // Children of a killed Postgres may still write for a moment.
  rmSync(dataDir, { recursive: true, maxRetries: 10 });
}
