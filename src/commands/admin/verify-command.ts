import type { ApiClient, Schema } from '../../../libs/client';
import type { Command, Found } from './command';
import { tableOf } from './views';

type Proof = Schema<'ReconciliationDto'>;

/** The largest page of the API. */
const ACTIVITIES_PER_PAGE = 100;

/** Checks less than `npm run verify`, but needs only a token. */
export const verifyCommand: Command = {
  words: 'verify',
  operands: ['[ID]…'],
  help: 'prove the books of these activities, or of all; exit code 1 when some do not agree',
  run: async (api, args) => {
    const broken: Proof[] = [];
    let proven = 0;
    for await (const id of args.operands.length > 0 ? args.operands : allActivities(api)) {
      const proof = await api.get('/v1/activities/{id}/reconciliation', { path: { id } });
      proven += 1;
      if (proof.verdict !== 'balanced') broken.push(proof);
    }
    return found(proven, broken);
  },
};

async function* allActivities(api: ApiClient): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const page = await api.get('/v1/activities', { query: { limit: ACTIVITIES_PER_PAGE, cursor } });
    for (const { id } of page.items) yield id;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function found(proven: number, broken: readonly Proof[]): Found {
  const rows = broken.map(({ activityId, checks }) => ({
    activityId,
    broken: checks.flatMap(({ name, holds }) => (holds ? [] : [name])).join('; '),
  }));
  const summary = `${proven} activities proven, ${broken.length} broken.`;
  return {
    value: { proven, broken },
    text: rows.length > 0 ? `${tableOf(rows, ['activityId', 'broken'])}\n\n${summary}` : summary,
    isBad: broken.length > 0,
  };
}
