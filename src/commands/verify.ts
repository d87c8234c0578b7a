import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Finding, VerificationModule, VerificationService } from '../modules/reconciliation';
import { type AppConfig, ConfigModule, loadConfig } from '../platform/config';
import { PostgresModule } from '../platform/postgres';
import { RedisModule } from '../platform/redis';
import { localEnvironment } from './local/environment';

@Module({})
class VerifyModule {
  static forRoot(config: AppConfig): DynamicModule {
    const postgres = PostgresModule.forRoot({ patient: true });
    const imports = [ConfigModule.forRoot(config), postgres, RedisModule, VerificationModule];
    return { module: VerifyModule, imports };
  }
}

/** `npm run verify`: a line for each invariant; exit code 1 when one is broken. */
async function verify(): Promise<void> {
  const config = loadConfig(await localEnvironment());
  const app = await NestFactory.createApplicationContext(VerifyModule.forRoot(config), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    const findings = await app.get(VerificationService).verify();
    findings.forEach((finding) => console.log(lineOf(finding)));
    if (findings.some((finding) => finding.breaches > 0)) process.exitCode = 1;
  } finally {
    await app.close();
  }
}

function lineOf({ id, title, subject, examined, breaches }: Finding): string {
  const verdict = breaches === 0 ? 'ok    ' : 'BROKEN';
  const count = `${examined} ${subject}${breaches > 0 ? `, ${breaches} breaches` : ''}`;
  return `${verdict} ${id.padEnd(3)} ${title} (${count})`;
}

verify().catch((error: unknown) => {
  console.error(`Verification failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
