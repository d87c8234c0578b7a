import { type SignedBy, writeEvidence } from '../evidence/evidence';
import type { Command } from './command';
import { UsageError, wholeNumber } from './options';

export const evidenceCommand: Command = {
  call: 'evidence <id>',
  help: 'an activity that has ended as one archive that can be checked without this system; people are pseudonyms',
  options: {
    out: {
      value: '<file>',
      help: 'the archive (tar); the key of the pseudonyms is written next to it',
      required: true,
    },
    quorum: {
      value: '<n>',
      help: 'takes the newest checkpoint that at least this many witnesses have signed, rather than the newest of all',
      parse: wholeNumber,
    },
    of: {
      value: '<names>',
      help: 'with --quorum: counts only these witnesses, separated by commas; otherwise all that the installation knows',
    },
  },
  sends: [
    ...(['readActivity', 'exportResults', 'exportClaims', 'exportLedger', 'exportPayouts'] as const),
    ...(['listAuditLog', 'listDeadLetters', 'readActivityHistory', 'readFairness'] as const),
    ...(['readLogKey', 'readCheckpoint', 'listLogLeaves'] as const),
  ],
  run: async (api, { operands: [id], values }) => {
    const { quorum, of } = values as SignedBy;
    if (of !== undefined && quorum === undefined)
      throw new UsageError('--of says which witnesses --quorum counts: add --quorum.');
    const written = await writeEvidence(api, id!, values.out as string, { quorum, of });
    const { file, sha256, keyFile } = written;
    const text = `Wrote ${file} (SHA-256 ${sha256}), and the key of its pseudonyms, only for those who may know the people: ${keyFile}.`;
    return { value: written, text };
  },
};
