import { type ApiClient, ApiProblem, type Schema } from '../../../libs/client';
import { pagesOf } from '../pages';
import type { Command, Found } from './command';
import { tableOf } from './views';

type Proof = Schema<'ReconciliationDto'>;

/** The largest page of the API. */
const ACTIVITIES_PER_PAGE = 100;

/** Checks less than `npm run verify`, but needs only a token. */
export const verifyCommand: Command = {
  call: 'verify [id...]',
  help: 'prove the books of these activities, or of all; exit code 1 when some do not agree',
  sends: ['listActivities', 'reconcileActivity'],
  run: async (api, { operands }) => {
    const broken: Proof[] = [];
    let [proven, archived] = [0, 0];
    for await (const id of operands.length > 0 ? operands : allActivities(api)) {
      const proof = await proofOf(api, id);
      if (proof) proven += 1;
      else archived += 1;
      if (proof && proof.verdict !== 'balanced') broken.push(proof);
    }
    return found({ proven, archived }, broken);
  },
};

async function* allActivities(api: ApiClient): AsyncGenerator<string> {
  const all = pagesOf((cursor) => api.listActivities({ limit: ACTIVITIES_PER_PAGE, cursor }));
  for await (const { id } of all) yield id;
}

/** Undefined for an activity that is archived: `npm run verify -- --archive` proves its file. */
async function proofOf(api: ApiClient, id: string): Promise<Proof | undefined> {
  try {
    return await api.reconcileActivity(id);
  } catch (error) {
    if (error instanceof ApiProblem && error.code === 'activity.archived') return undefined;
    throw error;
  }
}

interface Count {
  readonly proven: number;
  readonly archived: number;
}

function found({ proven, archived }: Count, broken: readonly Proof[]): Found {
  const rows = broken.map(({ activityId, checks }) => ({
    activityId,
    broken: checks.flatMap(({ name, holds }) => (holds ? [] : [name])).join('; '),
  }));
  const left = archived > 0 ? `, ${archived} archived and not read` : '';
  const summary = `${proven} activities proven, ${broken.length} broken${left}.`;
  return {
    value: { proven, archived, broken },
    text: rows.length > 0 ? `${tableOf(rows, ['activityId', 'broken'])}\n\n${summary}` : summary,
    isBad: broken.length > 0,
  };
}
