import { type ApiClient, ApiProblem, type FieldFault } from '../../../../../libs/client';
import { type Freshness, useFreshness } from '../../ui/as-of';
import { type Asked, type AskedWith, useAnswer } from '../../ui/asking';
import { spanText } from '../../ui/facts';
import { words } from '../../words';
import { bad, good, type Sign } from './sign';

/** An API that hangs is red after three of them: within three seconds. */
const POLL_MS = 800;
const ENGINES = { postgres: 'Postgres', redis: 'Redis' } as const;

interface Health {
  readonly tookMs: number;
  /** The report of the API on parts that do not work. */
  readonly problem?: ApiProblem;
}

/** The signs of the API, which says how it finds the engines, and of these. */
export function useEngineSigns(api: ApiClient): readonly Sign[] {
  const health = useAnswer((options) => healthOf(api, options), [api], { everyMs: POLL_MS });
  return signsOf(health, useFreshness(health));
}

async function healthOf(api: ApiClient, options: AskedWith): Promise<Health> {
  const startMs = performance.now();
  const problem = await api.checkDependencies(options).then(() => undefined, failingOnly);
  return { tookMs: Math.round(performance.now() - startMs), problem };
}

/** An API that answers that an engine is away has answered. */
function failingOnly(error: unknown): ApiProblem {
  if (error instanceof ApiProblem && error.code === 'health.dependencies_fail') return error;
  throw error;
}

/** A Redis that is not reachable does not say its eviction policy either: that is one fault. */
const isOfItsOwn = ({ field, message }: FieldFault, _: number, all: readonly FieldFault[]): boolean =>
  field !== 'eviction' || !all.some((other) => other.field === 'redis' && other.message === message);

function signsOf({ value, fault }: Asked<Health>, freshness: Freshness | undefined): Sign[] {
  const said = words.wall;
  if (fault && !fault.hangs) return [bad('api', fault.sentence)];
  if (freshness?.age === 'stale') return [bad('api', said.unanswered(spanText(freshness.seconds)))];
  if (!value) return [];
  const { tookMs, problem } = value;
  const failing = (problem?.errors ?? []).filter(isOfItsOwn);
  const engines = Object.entries(ENGINES).filter(([name]) => !failing.some(({ field }) => field === name));
  return [
    good('api', words.signs.api(tookMs)),
    ...engines.map(([name, title]) => good(name, words.signs.engine(title))),
    ...failing.map((fault) => bad(fault.field, words.faults.fields(problem!, [fault]))),
  ];
}
