import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { readEnvironment } from '../../libs/environment';
import { extensions } from '../extensions';
import { type Finding, VerificationModule, VerificationService } from '../core/reconciliation';
import { invariants } from '../invariants';
import { type AppConfig, ConfigModule, loadConfig } from '../platform/config';
import { PostgresModule } from '../platform/postgres';
import { RedisModule } from '../platform/redis';
import { schema } from '../schema';

@Module({})
class VerifyModule {
  static forRoot(config: AppConfig): DynamicModule {
    const postgres = PostgresModule.forRoot(schema, { patient: true });
    const verification = VerificationModule.forRoot(invariants);
    return {
      module: VerifyModule,
      imports: [ConfigModule.forRoot(config), postgres, RedisModule, verification],
    };
  }
}

/**
 * `npm run verify`: prints a line for each invariant; the exit code is 1 when one is broken.
 * Activities that are settled for good are sealed. With `--all` everything is read, and seals are
 * compared. With `--archive FILE`, once for each, files are verified instead.
 */
async function verify(): Promise<void> {
  const { all, archive } = parseArgs({
    options: { all: { type: 'boolean', default: false }, archive: { type: 'string', multiple: true } },
  }).values;
  const config = loadConfig(readEnvironment());
  const app = await NestFactory.createApplicationContext(VerifyModule.forRoot(config), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    const verification = app.get(VerificationService);
    const findings: Finding[] = [];
    if (archive) for (const file of archive) findings.push(await verifyArchive(app.get(DataSource), file));
    else findings.push(...(all ? await verification.verify() : await verifyUnsealed(verification)));
    findings.flatMap(linesOf).forEach((line) => console.log(line));
    if (findings.some((finding) => finding.breaches > 0)) process.exitCode = 1;
  } finally {
    await app.close();
  }
}

async function verifyUnsealed(verification: VerificationService): Promise<Finding[]> {
  const { findings, sealedBefore, sealedNow } = await verification.verifyUnsealed();
  if (sealedBefore > 0)
    console.log(`${sealedBefore} activities are sealed and not read again; --all reads them too.`);
  if (sealedNow > 0) console.log(`${sealedNow} activities are settled for good and sealed from now on.`);
  return findings;
}

async function verifyArchive(dataSource: DataSource, file: string): Promise<Finding> {
  const [proof] = extensions.flatMap(({ fileProof }) => fileProof ?? []);
  if (!proof) throw new Error('These programs archive nothing: use those that have written the file.');
  const { id, title, subject } = proof;
  const { examined, faults } = await proof.proveFile(dataSource, file);
  return { id, title, subject, examined, breaches: faults.length, details: faults };
}

/** Longest list of details that is printed. */
const DETAILS_MAX = 20;

function linesOf(finding: Finding): string[] {
  return [
    lineOf(finding),
    ...(finding.details ?? []).slice(0, DETAILS_MAX).map((detail) => `           ${detail}`),
  ];
}

function lineOf({ id, title, subject, examined, breaches }: Finding): string {
  const verdict = breaches === 0 ? 'ok    ' : 'BROKEN';
  const count = `${examined} ${subject}${breaches > 0 ? `, ${breaches} breaches` : ''}`;
  return `${verdict} ${id.padEnd(3)} ${title} (${count})`;
}

verify().catch((error: unknown) => {
  console.error(`Verification failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
