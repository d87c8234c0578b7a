import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { HealthController } from '../../src/core/health/health.controller';
import { AppConfig, type ConfigError, loadConfig } from '../../src/platform/config';
import { MetricsController } from '../../src/platform/http/pages/metrics.controller';

/** Facts that authors of manifests rely on, read from the programs themselves. */
export const root = resolve(__dirname, '..', '..');
export const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

/**
 * The words that the image's entry point knows, each with the source of the program that it starts.
 */
export const programs: ReadonlyMap<string, string> = new Map(
  Array.from(
    textOf('deploy', 'image', 'hongbao.mjs').matchAll(/^ {2}(\w+): '\.\/dist\/(?:src\/)?(.+)\.js',$/gm),
    (line) => [line[1]!, `src/${line[2]!}`],
  ),
);

/** The settings of `.env.example`, which a test compares with AppConfig. */
export const settings = new Set(
  Array.from(textOf('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm), (line) => line[1]!),
);

export const MIGRATION_SETTING = 'MIGRATION_DATABASE_URL';

export const sampleSecret = parseEnv(textOf('.env.example')).JWT_SECRET!;

export const defaults = new AppConfig();

/** Routes that a probe or Prometheus may request, such as `/health/live`. */
export const probeRoutes: readonly string[] = [HealthController, MetricsController].flatMap(routesOf);

function routesOf(controller: Type): string[] {
  const prototype = controller.prototype as Record<string, () => unknown>;
  const prefix = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return Object.getOwnPropertyNames(prototype)
    .map((name) => prototype[name]!)
    .filter((method) => Reflect.hasMetadata(METHOD_METADATA, method))
    .map((method) =>
      `/${prefix}/${Reflect.getMetadata(PATH_METADATA, method) as string}`.replace(/\/+$/, ''),
    );
}

/** The reason why a program does not start with these settings. */
export function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
}
