import { type Browser, chromium } from 'playwright-core';
import type { DistributedProgram } from '../../src/dev/engines';

/** Chromium refuses to run as root inside its sandbox. */
const AS_ANYBODY = '--no-sandbox';

export const openChromium = (
  { command, env }: DistributedProgram,
  args: readonly string[] = [],
): Promise<Browser> => chromium.launch({ executablePath: command, env, args: [AS_ANYBODY, ...args] });
