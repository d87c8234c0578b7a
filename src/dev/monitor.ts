import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { witnessesFault } from '../../libs/claim-log';
import { Unwitnessed, WitnessDemand } from './monitor/demand';
import { type Kept, LogMonitor, OLDER, Rewritten } from './monitor/log-monitor';
import { replaceFile } from './monitor/replace-file';
import { Witness } from './monitor/witness';
import { newWitnessKey, readWitnessKey } from './monitor/witness-key';

const EVERY_MS = 10_000;
const LAG_SECONDS = '300';

/**
 * `npm run monitor -- --url URL`: the exit code is 1 when history was rewritten, 3 when witnesses are missing, and
 * with `--once` 2 when the log could not be read or nothing was signed.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      keep: { type: 'string' },
      key: { type: 'string' },
      once: { type: 'boolean', default: false },
      'witness-key': { type: 'string' },
      'new-witness-key': { type: 'string' },
      name: { type: 'string' },
      'require-witnesses': { type: 'string' },
      witness: { type: 'string', multiple: true, default: [] },
      'witness-lag': { type: 'string', default: LAG_SECONDS },
      'max-age': { type: 'string' },
    },
  });
  const { 'new-witness-key': newKey, name, once } = values;
  if (newKey !== undefined) return console.log(newWitnessKey(newKey, name).signer.verifierKey);
  if (values.url === undefined) throw new Error('--url is missing: the address of the API.');
  const url = values.url.replace(/\/$/, '');
  const witnessFile = values['witness-key'];
  const witness = witnessFile === undefined ? undefined : witnessOf(witnessFile, url, values.key);
  // A witness has a file of its own, because a monitor keeps newer checkpoints than a witness signs.
  const keep = values.keep ?? (witnessFile === undefined ? 'claim-log.json' : `${witnessFile}.log.json`);
  const demand = demandOf(values);
  const path = witness ? '/v1/log/checkpoint-to-cosign' : '/v1/log/checkpoint';
  const monitor = new LogMonitor(url, keptIn(keep), values.key, path);
  for (;;) {
    try {
      await pass(monitor, keep, witness, demand);
    } catch (error) {
      if (error instanceof Rewritten) saveNotes(keep, error);
      if (once || error instanceof Rewritten || error instanceof Unwitnessed) throw error;
      say(`failed: ${(error as Error).message}`);
    }
    if (once) return;
    await pause(EVERY_MS);
  }
}

async function pass(
  monitor: LogMonitor,
  keep: string,
  witness?: Witness,
  demand?: WitnessDemand,
): Promise<void> {
  let line;
  try {
    line = await monitor.pass();
    say(line);
  } catch (error) {
    const { readSize } = monitor;
    if (demand && readSize !== undefined && !(error instanceof Rewritten))
      say(demand.missed(readSize, error as Error));
    throw error;
  }
  if (!monitor.kept) return;
  const cosignature = line === OLDER ? undefined : await witness?.sign(monitor);
  replaceFile(keep, JSON.stringify(monitor.kept));
  if (cosignature) await witness!.handOver(cosignature);
  if (cosignature) say(`signed: ${cosignature.size} leaves of ${cosignature.origin}`);
  if (demand) say(await demand.check(monitor));
}

/** Without the key of its log, a witness could sign another one that the server shows under the same address. */
function witnessOf(file: string, url: string, logKey: string | undefined): Witness {
  const key = readWitnessKey(file);
  if (logKey === undefined)
    throw new Error(
      `--key is missing: the public key of the log that is signed. GET ${url}/v1/log/key has it; compare it with what its operators have published, or other witnesses have.`,
    );
  for (const [origin, { checkpoint, at }] of Object.entries(key.record.read().logs))
    say(
      `${file} signs ${origin}: ${checkpoint.split('\n')[1]} leaves at ${new Date(at * 1000).toISOString()}`,
    );
  return new Witness(key, url);
}

/** With both, others can see what this monitor has seen. */
function saveNotes(keep: string, { notes }: Rewritten): void {
  if (notes.length === 0) return;
  const file = `${keep}.fork-${new Date().toISOString().replace(/[:.]/g, '-')}.txt`;
  replaceFile(file, notes.join('\n'));
  say(`Both checkpoints are saved in ${file}.`);
}

interface Demands {
  readonly 'require-witnesses'?: string;
  readonly witness: readonly string[];
  readonly 'witness-lag': string;
  readonly 'max-age'?: string;
  readonly once: boolean;
}

/** In a single pass nobody is waited for. */
function demandOf({ witness, once, ...values }: Demands): WitnessDemand | undefined {
  const { 'require-witnesses': required, 'witness-lag': lag, 'max-age': age } = values;
  if (required === undefined && witness.length === 0) {
    if (age !== undefined) throw new Error('--max-age is of signatures: name witnesses by --witness.');
    return undefined;
  }
  const fault = witnessesFault(witness);
  if (fault !== undefined) throw new Error(`--witness ${fault}.`);
  const count = wholeNumber('--require-witnesses', required ?? String(witness.length));
  if (count < 1 || count > witness.length)
    throw new Error(
      `--require-witnesses is ${count}, and there are ${witness.length} keys: name each by --witness.`,
    );
  const lagMs = once ? 0 : wholeNumber('--witness-lag', lag) * 1000;
  return new WitnessDemand(
    count,
    witness,
    lagMs,
    age === undefined ? undefined : wholeNumber('--max-age', age),
  );
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`${option} must be a whole number.`);
  return Number(text);
}

function keptIn(file: string): Kept | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
    if (typeof kept.checkpoint === 'string' && Array.isArray(kept.tiles)) return kept;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(
    `${file} is not what a monitor has kept: it is torn, or another file. Restore it; without it the history before is not compared.`,
  );
}

function say(line: string): void {
  console.log(`${new Date().toISOString()} ${line}`);
}

const CODES: readonly [kind: new (said: string) => Error, code: number, word: string][] = [
  [Rewritten, 1, 'REWRITTEN '],
  [Unwitnessed, 3, 'UNWITNESSED '],
];

main().catch((error: unknown) => {
  const [, code, word] = CODES.find(([kind]) => error instanceof kind) ?? [Error, 2, ''];
  console.error(`${word}${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = code;
});
