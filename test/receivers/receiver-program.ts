import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSecret } from '../../libs/standard-webhooks';
import type { Settings } from '../../src/dev/conformance/bench';
import { ODD_USER_IDS } from '../../src/dev/conformance/checks';
import { conform, type Result } from '../../src/dev/conformance/conformance';
import { paidAmounts } from '../../src/dev/conformance/paid-amounts';
import { freePort, Program } from '../../src/dev/engines';
import { exampleOf, type Language, type ReceiverCommand } from './languages';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 2_000;
const ANSWER_WITHIN_MS = 10_000;

const SETTINGS = {
  ...paidAmounts({ currency: 'CNY' }),
  otherCurrency: 'XTS',
  userId: 'kit-user',
  oddUserIds: ODD_USER_IDS,
  unknownUserId: 'unknown-user',
  closedUserId: 'closed-user',
  statementFile: undefined,
  oldSecret: undefined,
  restart: undefined,
  payouts: 100,
  perSecond: 1_000,
} satisfies Settings;

/** Runs the kit with the users of the examples. */
export const conformTo = (
  receiver: { url: string; secret: string },
  settings: Partial<Settings> = {},
): Promise<Result[]> => conform({ ...receiver, timeoutMs: ANSWER_WITHIN_MS }, { ...SETTINGS, ...settings });

interface StartOptions {
  /** The example of the language unless given. */
  readonly file?: string;
  readonly secret?: string;
  readonly currency?: string;
}

/** A receiver that runs as its users would run it, with its own directory. */
export class ReceiverProgram {
  private readonly oldSecret = newSecret();
  private program!: Program;

  private constructor(
    private readonly name: string,
    private readonly command: ReceiverCommand,
    private readonly directory: string,
    private readonly port: number,
    readonly secret: string,
    private readonly currency: string,
  ) {}

  /** @throws Error with one line when the language is not available */
  static async start(
    language: Language,
    { file = exampleOf(language), secret = newSecret(), currency = 'CNY' }: StartOptions = {},
  ): Promise<ReceiverProgram> {
    const localDir = process.env.LOCAL_DIR || '.local';
    const directory = mkdtempSync(join(tmpdir(), `hongbao-receiver-${language.name}-`));
    const command = await language.program(localDir, file, directory);
    const port = await freePort();
    const receiver = new ReceiverProgram(language.name, command, directory, port, secret, currency);
    await receiver.run();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Runs the kit, which kills the receiver once. */
  conform(load: { payouts?: number; perSecond?: number } = {}): Promise<Result[]> {
    const { url, secret, oldSecret, currency } = this;
    const settings = { ...paidAmounts({ currency }), ...load, oldSecret, restart: () => this.restart() };
    return conformTo({ url, secret }, settings);
  }

  async stop(): Promise<void> {
    this.kill();
    await this.program.stop();
  }

  private async restart(): Promise<void> {
    this.kill();
    await this.program.ended;
    await this.run();
  }

  /** Kills the processes that it has started as well. */
  private kill(): void {
    if (this.program.running) process.kill(-this.program.pid, 'SIGKILL');
  }

  private async run(): Promise<void> {
    const books = join(this.directory, 'books');
    mkdirSync(books, { recursive: true });
    this.program = await Program.start({
      name: `The receiver in ${this.name}`,
      command: this.command.command,
      args: this.command.args(this.port),
      env: {
        ...this.command.env,
        SECRETS: `${this.secret} ${this.oldSecret}`,
        CURRENCY: this.currency,
        JOURNAL: join(books, 'payouts.ndjson'),
        PAYOUTS: join(books, 'payouts'),
        PORT: String(this.port),
      },
      logFile: join(this.directory, 'receiver.log'),
      stopSignal: 'SIGKILL',
      stopWithinMs: STOP_WITHIN_MS,
      throwAwayDirectory: this.directory,
    });
    await this.program.ready(() => listens(this.url), READY_WITHIN_MS);
  }
}

async function listens(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
