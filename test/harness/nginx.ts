import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, Program, throwAwayDirectory } from '../../src/dev/engines';
import { isReady } from '../../src/dev/local/node-program';
import { distributed } from './distributed';

const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 2_000;

/** Everything that nginx writes is in a directory of its own. */
const mainOf = (directory: string, server: string): string => `
daemon off;
pid ${directory}/pid;
error_log ${directory}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  ${server}
}
`;

/** A stock nginx passes everything on, without any further configuration. */
const STOCK = 'server { listen 8080; location / { proxy_pass http://127.0.0.1:3000; } }';

export const ofDeploy = (): string => readFileSync(resolve('deploy', 'nginx', 'hongbao.conf'), 'utf8');

export class Nginx {
  private constructor(
    readonly url: string,
    private readonly program: Program,
  ) {}

  /** On a machine without nginx, prints that in one line and returns undefined. */
  static async start(apiUrl: string, server = STOCK): Promise<Nginx | undefined> {
    const nginx = await distributed('nginx', 'usr/sbin/nginx');
    if (!nginx) return undefined;
    const directory = throwAwayDirectory('nginx');
    const port = await freePort();
    const text = server
      .replaceAll('127.0.0.1:3000', new URL(apiUrl).host)
      .replace('listen 8080', `listen 127.0.0.1:${port}`);
    const file = join(directory, 'nginx.conf');
    writeFileSync(file, mainOf(directory, text));
    const program = await Program.start({
      name: 'nginx',
      command: nginx.command,
      args: ['-p', directory, '-e', join(directory, 'error.log'), '-c', file],
      env: nginx.env,
      logFile: join(directory, 'nginx.log'),
      stopSignal: 'SIGTERM',
      stopWithinMs: STOP_WITHIN_MS,
      throwAwayDirectory: directory,
    });
    const started = new Nginx(`http://127.0.0.1:${port}`, program);
    await program.ready(() => isReady(started.url), READY_WITHIN_MS);
    return started;
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
