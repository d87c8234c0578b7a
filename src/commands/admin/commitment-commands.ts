import type { Command } from './command';
import { request } from './request';

export const commitmentCommands: readonly Command[] = [
  request('createCommitment', {
    call: 'commitments create',
    help: 'have a seed drawn; then draw one of your own, such as by openssl rand -hex 32',
  }),
];
