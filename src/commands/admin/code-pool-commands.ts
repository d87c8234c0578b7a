import { constants, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Command } from './command';
import { PAGE_OPTIONS, UsageError } from './options';
import { KEY_OPTION, request } from './request';
import { recordText } from './views';

const UPLOAD: Command = {
  call: 'code-pools upload <id> <file>',
  help: 'upload a file of codes, all or none: one per line, or NDJSON if its name ends with .ndjson or .jsonl',
  options: KEY_OPTION,
  sends: ['uploadCodes'],
  run: async (api, { operands: [id, file], values: { key } }) => {
    const answer = await api.uploadCodes(id!, await fileOf(file!), { key: key as string | undefined });
    return { value: answer, text: recordText(answer) };
  },
};

/** Is read while it is sent. A blob does not say why it cannot be opened. */
async function fileOf(file: string): Promise<Blob> {
  const type = /\.(ndjson|jsonl)$/i.test(file) ? 'application/x-ndjson' : 'text/csv';
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${error.code}.`);
  });
  return openAsBlob(file, { type });
}

export const codePoolCommands: readonly Command[] = [
  request('listCodePools', {
    call: 'code-pools list',
    help: 'pools of codes, such as vouchers, that packets give',
    options: {
      sponsor: { value: '<user>', help: 'only the pools of this sponsor', field: 'sponsorId' },
      ...PAGE_OPTIONS,
    },
    columns: ['id', 'name', 'sponsorId', 'currency', 'uploaded', 'free', 'createdAt'],
  }),
  request('readCodePool', {
    call: 'code-pools show <id>',
    help: 'what has become of its codes, and which activities use them',
  }),
  request('createCodePool', {
    call: 'code-pools create',
    help: 'a pool for a sponsor, with a currency of its own',
    options: {
      name: { value: '<text>', help: 'for people', required: true },
      sponsor: {
        value: '<user>',
        help: 'whose activities give its codes',
        field: 'sponsorId',
        required: true,
      },
    },
  }),
  UPLOAD,
];
