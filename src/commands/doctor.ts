import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { readEnvironment } from '../../libs/environment';
import { examine } from './doctor/examine';

/**
 * `npm run doctor`: tries every engine and setting as the programs would, and prints a line for each, saying
 * that it is fine or what to change. The exit code is 1 if anything needs changing. It takes no arguments and
 * writes nothing anywhere.
 */
async function doctor(): Promise<void> {
  parseArgs({ options: {} });
  for await (const { name, fault, fact } of examine(readEnvironment())) {
    console.log(`${fault === undefined ? 'ok   ' : 'FAULT'} ${name.padEnd(12)} ${fault ?? fact}`);
    if (fault !== undefined) process.exitCode = 1;
  }
}

doctor().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
