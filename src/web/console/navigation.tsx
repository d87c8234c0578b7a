import type { ApiClient } from '../../../libs/client';
import type { Right } from '../../../libs/roles';
import { Link } from './address';
import { useAnswer } from './asking';
import { may, type Person } from './staff';

interface Part {
  readonly name: string;
  readonly title: string;
  /** The right that a user needs to see this part. */
  readonly right: Right;
}

export const PARTS: readonly Part[] = [
  { name: 'activities', title: 'Activities', right: 'read' },
  { name: 'wall', title: 'Wall', right: 'read' },
  { name: 'wallets', title: 'Wallets', right: 'inspect' },
  { name: 'dead-letters', title: 'Dead letters', right: 'inspect' },
  { name: 'payouts', title: 'Payouts', right: 'inspect' },
  { name: 'approvals', title: 'Approvals', right: 'inspect' },
  { name: 'webhooks', title: 'Webhooks', right: 'inspect' },
  { name: 'audit', title: 'Audit', right: 'inspect' },
  { name: 'files', title: 'Files', right: 'report-payouts' },
];

export const firstPart = (person: Person): string => PARTS.find(({ right }) => may(person, right))!.name;

interface NavigationProps {
  readonly api: ApiClient;
  readonly person: Person;
  /** The name of the part that is shown. */
  readonly current: string;
}

/** The parts of the console, each with the number of things there that wait for a person. */
export function Navigation({ api, person, current }: NavigationProps) {
  const waiting = useWaiting(api, person);
  return (
    <nav aria-label="Parts of the console">
      {PARTS.filter(({ right }) => may(person, right)).map(({ name, title }) => (
        <span key={name}>
          <Link to={[name]} current={current === name}>
            {title}
          </Link>
          {waiting[name] ? (
            <span class="count" title={WAITING[name]}>
              {waiting[name]}
            </span>
          ) : null}
        </span>
      ))}
    </nav>
  );
}

const WAITING: Readonly<Record<string, string>> = {
  'dead-letters': 'Open dead letters',
  payouts: 'Open findings',
  approvals: 'Pending approvals',
};

const LOOK_MS = 10_000;

/** The API reads these figures once a second at most, however many people ask. */
function useWaiting(api: ApiClient, person: Person): Readonly<Record<string, number | undefined>> {
  const overview = useAnswer(
    async (signal) => (may(person, 'inspect') ? api.get('/v1/overview', { signal }) : undefined),
    [api, person.role],
    { everyMs: LOOK_MS },
  );
  const { money, outbound } = overview.value ?? {};
  return {
    'dead-letters': money?.deadLetters,
    payouts: outbound?.reduce((sum, { findings }) => sum + findings, 0),
    approvals: money?.approvals,
  };
}
