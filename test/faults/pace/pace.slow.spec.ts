import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'test', 'faults', 'main.js');

async function prove(...options: string[]): Promise<string> {
  const args = [MAIN, '--pace', '200', '--seconds', '8', '--seed', '1', ...options];
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  return output;
}

describe('rains with plans, over parts, while programs and a master are killed and packets are added', () => {
  it('have at each instant as many winners as their plans say', async () => {
    expect(await prove()).toMatch(/^broken 0, /m);
  });

  it('are seen to be broken where packets are released before their time', async () => {
    expect(await prove('--prove-checker', '--only', 'early')).toMatch(/^caught +early/);
  });
});
