import { spawn } from 'node:child_process';

/** A failure that is explained in one line. */
export class Fault extends Error {}

export function say(line) {
  process.stderr.write(`${line}\n`);
}

export async function step(title, command, args, sign) {
  say(`${title}…`);
  await runQuietly(title, command, args, sign);
}

/** Shows the output only when it fails. */
export async function runQuietly(title, command, args, sign) {
  const { code, output } = await capture(command, args, sign);
  if (code === 0) return;
  process.stderr.write(output);
  throw new Fault(
    `${title} failed: \`${command} ${args.join(' ')}\` ended with ${code}; its output is above.`,
  );
}

function capture(command, args, sign) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) sign(child.pid);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}
