import { spawn } from 'node:child_process';
import type { LocalSystemOptions } from '../local/system';
import { WatchedDemo } from './watched-demo';

type Say = (line: string) => void;

/** Returns whether the books agreed when it was stopped. */
export async function watchDemo(
  options: LocalSystemOptions,
  stopped: Promise<unknown>,
  say: Say,
): Promise<boolean> {
  const demo = await WatchedDemo.start(options);
  try {
    await demo.play();
    say(`\nThe wall: ${demo.wallUrl}\n\nA rain to play in: ${demo.rainUrl}\n\nPress Ctrl-C to stop.`);
    show(demo.wallUrl);
    await stopped;
    say('Stopping; then every invariant is checked…');
    const { balanced, output } = await demo.verify();
    say(output);
    return balanced;
  } finally {
    await demo.stop();
  }
}

/** Opens a browser only where a person has started the demo. */
function show(address: string): void {
  if (!process.stdout.isTTY) return;
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
