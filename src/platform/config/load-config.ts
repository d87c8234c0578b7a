import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { AppConfig } from './app-config';
import { ConfigError } from './config.error';
import { lookAlikes } from './look-alikes';

/**
 * Counts a variable set to nothing as unset.
 * @throws ConfigError with one line for every fault, and for every variable that may be a slip
 */
export function loadConfig(env: NodeJS.ProcessEnv): AppConfig {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const config = plainToInstance(AppConfig, Object.fromEntries(set), { exposeDefaultValues: true });
  const errors = validateSync(config, { whitelist: true, stopAtFirstError: true });
  if (errors.length > 0) throw new ConfigError([...errors.map(toFault), ...lookAlikes(env)]);
  return Object.freeze(config);
}

function toFault({ property, value, constraints = {} }: ValidationError): string {
  return value === undefined
    ? `${property} is missing`
    : `${property} ${Object.values(constraints).join(' and ')}`;
}
