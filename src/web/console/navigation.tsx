import {
  CalendarClock,
  CloudRain,
  Coins,
  FileUp,
  Gift,
  type IconNode,
  KeyRound,
  Menu,
  MailWarning,
  Monitor,
  ScrollText,
  Send,
  UserCheck,
  UserX,
  Wallet,
  Webhook,
} from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiClient } from '../../../libs/client';
import type { Right } from '../../../libs/roles';
import { may, type Person } from './session/staff';
import { useDecidedRequests } from './views/approvals/decided-requests';
import { Link, useAddress } from './ui/address';
import { useAnswer } from './ui/asking';
import { Icon } from './ui/icon';
import { words } from './words';
import type { Words } from './words/en';

interface Part {
  readonly name: keyof Words['navigation']['parts'];
  /** The right that a user needs to see this part. */
  readonly right: Right;
  readonly icon: IconNode;
}

/** The parts by what they are about, in the order of a night. */
const GROUPS = {
  rains: [
    { name: 'activities', right: 'read', icon: CloudRain },
    { name: 'series', right: 'schedule', icon: CalendarClock },
    { name: 'wall', right: 'read', icon: Monitor },
    { name: 'code-pools', right: 'sponsor', icon: Gift },
    { name: 'ticket-keys', right: 'sponsor', icon: KeyRound },
  ],
  money: [
    { name: 'wallets', right: 'inspect', icon: Wallet },
    { name: 'dead-letters', right: 'inspect', icon: MailWarning },
    { name: 'payouts', right: 'inspect', icon: Send },
    { name: 'currencies', right: 'inspect', icon: Coins },
    { name: 'files', right: 'report-payouts', icon: FileUp },
  ],
  people: [
    { name: 'approvals', right: 'read-own-requests', icon: UserCheck },
    { name: 'webhooks', right: 'inspect', icon: Webhook },
    { name: 'erasures', right: 'inspect', icon: UserX },
    { name: 'audit', right: 'inspect', icon: ScrollText },
  ],
} satisfies Record<keyof Words['navigation']['groups'], readonly Part[]>;

const PARTS: readonly Part[] = Object.values(GROUPS).flat();

export const firstPart = (person: Person): Part['name'] =>
  PARTS.find(({ right }) => may(person, right))!.name;

/** Whether the page at these steps of an address shows anything to this person. */
export function mayOpen(person: Person, [part, step]: readonly string[]): boolean {
  if (part === 'activities' && step === 'new') return may(person, 'sponsor');
  if (part === 'wins') return may(person, 'read');
  const right = PARTS.find(({ name }) => name === part)?.right;
  return right === undefined || may(person, right);
}

interface NavigationProps {
  readonly api: ApiClient;
  readonly person: Person;
  /** The name of the part that is shown. */
  readonly current: string;
  /** What is not a part of the console, and has a place after its parts. */
  readonly children?: ComponentChildren;
}

/** The parts of the console, each with the number of things there that wait for a person. A phone folds them. */
export function Navigation({ api, person, current, children }: NavigationProps) {
  const waiting = useWaiting(api, person);
  const decided = useDecidedRequests(api, person);
  const [isOpen, setOpen] = useState(false);
  const { steps } = useAddress();
  useEffect(() => setOpen(false), [steps.join('/'), words]);
  const all = Object.values(waiting).reduce<number>((sum, count = 0) => sum + count, decided);
  const mayOpenPart = ({ right }: Part) => may(person, right);
  return (
    <>
      <button class="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon of={Menu} />
        {words.navigation.menu}
        {all > 0 && <span class="count">{all}</span>}
      </button>
      <nav aria-label={words.navigation.label}>
        {Object.entries(GROUPS as Readonly<Record<keyof typeof GROUPS, readonly Part[]>>)
          .filter(([, parts]) => parts.some(mayOpenPart))
          .map(([group, parts]) => (
            <div key={group} class="group">
              <small aria-hidden="true">{words.navigation.groups[group as keyof typeof GROUPS]}</small>
              {parts.filter(mayOpenPart).map(({ name, icon }) => (
                <span key={name}>
                  <Link to={[name]} current={current === name}>
                    <Icon of={icon} />
                    {words.navigation.parts[name]}
                  </Link>
                  {waiting[name] ? (
                    <span class="count" title={words.navigation.waiting[name]}>
                      {waiting[name]}
                    </span>
                  ) : null}
                  {name === 'approvals' && decided > 0 && (
                    <span class="count news" title={words.requests.decided(decided)}>
                      {decided}
                    </span>
                  )}
                </span>
              ))}
            </div>
          ))}
        {children}
      </nav>
    </>
  );
}

const POLL_MS = 10_000;

/** The API reads these figures once a second at most, however many people ask. */
function useWaiting(api: ApiClient, person: Person): Readonly<Record<string, number | undefined>> {
  const overview = useAnswer(
    async (options) => (may(person, 'inspect') ? api.readOverview(options) : undefined),
    [api, person.role],
    { everyMs: POLL_MS },
  );
  const { money, outbound } = overview.value ?? {};
  return {
    'dead-letters': money?.deadLetters,
    payouts: outbound?.reduce((sum, { findings }) => sum + findings, 0),
    approvals: money?.approvals,
  };
}
