import { writeSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { startDesign } from './all';
import { rush } from './rush';

const STDOUT = 1;

/** Grabs until it is killed. Each answered user is recorded before anything else happens. */
async function main([name, databaseUrl, redisUrl, rainId, inFlight]: string[]): Promise<void> {
  Logger.overrideLogger(['error', 'fatal']);
  const design = await startDesign(name!, databaseUrl!, redisUrl!);
  await rush(design, {
    rainId: rainId!,
    inFlight: Number(inFlight),
    goOn: () => true,
    told: (userId, amount) => writeSync(STDOUT, `told ${userId} ${amount}\n`),
  });
}

void main(process.argv.slice(2));
