import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type Program } from '../../src/dev/engines';
import { startNodeProgram } from '../../src/dev/local/node-program';
import { TcpProxy } from '../harness/tcp-proxy';
import { ReceiverFiles } from './receiver-files';

const READY_WITHIN_MS = 60_000;

/** The balance system behind the campaign's channels: a separate process behind a proxy. */
export class Receiver {
  readonly files: ReceiverFiles;
  private program?: Program;
  private starts = 0;

  private constructor(
    private readonly dist: string,
    private readonly directory: string,
    private readonly port: number,
    readonly fromSenders: TcpProxy,
  ) {
    this.files = new ReceiverFiles(directory);
    this.beHonest();
  }

  static async start(dist: string, parent: string): Promise<Receiver> {
    const directory = join(parent, 'receiver');
    mkdirSync(directory);
    const port = await freePort();
    const receiver = new Receiver(dist, directory, port, await TcpProxy.start(port));
    await receiver.revive();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.fromSenders.port}`;
  }

  beHonest(): void {
    this.files.habits = { words: '', lies: [], share: 0 };
  }

  async kill(): Promise<void> {
    process.kill(this.program!.pid, 'SIGKILL');
    await this.program!.ended;
  }

  async revive(): Promise<void> {
    if (this.program?.running) return;
    const program = await startNodeProgram({
      name: 'receiver',
      script: join('test', 'faults', 'receiver-main.js'),
      dist: this.dist,
      args: [this.directory, String(this.port)],
      env: { PATH: process.env.PATH },
      logFile: join(this.directory, `receiver-${++this.starts}.log`),
    });
    this.program = program;
    await program.ready(() => program.output.includes('listens'), READY_WITHIN_MS);
  }

  async stop(): Promise<void> {
    await this.program?.stop();
    await this.fromSenders.stop();
  }
}
