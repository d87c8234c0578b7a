import { join } from 'node:path';
import { readEnvironment } from '../../../libs/environment';
import { ONLY_BY_SECRET } from './secrets';
import { startNodeProgram } from './node-program';
import type { LocalSystem } from './system';

type Verified = Pick<LocalSystem, 'databaseUrl' | 'redisUrl' | 'jwtSecret' | 'logDir'>;

/** Runs `npm run verify` on the engines of a local system. */
export async function verifySystem({
  databaseUrl,
  redisUrl,
  jwtSecret,
  logDir,
}: Verified): Promise<{ balanced: boolean; output: string }> {
  const env = {
    ...readEnvironment(),
    ...ONLY_BY_SECRET,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    JWT_SECRET: jwtSecret,
  };
  const program = await startNodeProgram({
    name: 'verify',
    script: join('commands', 'verify.js'),
    args: ['--all'],
    env,
    logFile: join(logDir, 'verify.log'),
  });
  await program.ended;
  return { balanced: program.exitCode === 0, output: program.output.trimEnd() };
}
