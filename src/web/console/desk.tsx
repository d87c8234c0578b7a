import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiClient } from '../../../libs/client';
import type { Language } from '../kit/language';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { firstPart, mayOpen, Navigation, rolesFor } from './navigation';
import './late-styles';
import { QueuesButton } from './session/queues-button';
import { may, type Person } from './session/staff';
import { Link, MayOpen, useAddress } from './ui/address';
import { CanAsk } from './ui/asking';
import { LanguageButton } from './ui/language-button';
import { Notices } from './ui/notices';
import { PartLink } from './ui/part-link';
import { ZoneChoice } from './ui/zone-choice';
import { ActivitiesView } from './views/activities/activities';
import { ActivityView } from './views/activities/activity';
import { NewActivityView } from './views/activities/new-activity';
import { ReportView } from './views/activities/report';
import { ApprovalsView } from './views/approvals/approvals';
import { AuditView } from './views/audit';
import { CodePoolView } from './views/code-pools/code-pool';
import { CodePoolsView } from './views/code-pools/code-pools';
import { CurrenciesView } from './views/currencies/currencies';
import { DeadLettersView } from './views/dead-letters';
import { ErasuresView } from './views/erasures/erasures';
import { FilesView } from './views/files';
import { ChannelsView } from './views/payouts/channels/channels';
import { FindingsView } from './views/payouts/findings';
import { PayoutView } from './views/payouts/payout';
import { PayoutsView } from './views/payouts/payouts';
import { Search } from './views/search/search';
import { SeriesListView, SeriesView } from './views/series/series';
import { ChangeSeriesView, NewSeriesView } from './views/series/series-form';
import { TicketKeysView } from './views/ticket-keys';
import type { ViewProps } from './views/view-props';
import { KIOSK, WallView } from './views/wall/wall';
import { WalletsView } from './views/wallets/wallet-lists';
import { WalletView } from './views/wallets/wallets';
import { WebhooksView } from './views/webhooks';
import { WinView } from './views/wins/win';
import { words } from './words';
import { listText, momentText } from './words/language';

export { speakIn } from './words/language';

interface DeskProps {
  readonly settings: PageSettings;
  readonly session: Session;
  /** Whose views are shown. */
  readonly person: Person;
  /** Views whose person has to sign in again wait out of sight. */
  readonly isSignedIn: boolean;
  /** The sign-in ends at this moment, soon. */
  readonly endsAt?: Date;
  readonly language: Language;
  readonly onSwitch: (other: Language) => Promise<void>;
  readonly onSignOut: () => void;
}

/** Everything behind the sign-in. Its texts have to be chosen before: see `speakIn`. */
export function Desk({ settings, session, person, isSignedIn, endsAt, ...props }: DeskProps) {
  const { language, onSwitch, onSignOut } = props;
  const api = useMemo(() => new ApiClient(settings.api, () => session.token ?? ''), [settings.api, session]);
  const address = useAddress();
  const [, draw] = useState(0);
  const isKiosk = address.steps[0] === 'wall' && address.query[KIOSK] !== undefined;
  const name = `${person.sub} · ${words.roles[person.role]}`;
  return (
    <CanAsk.Provider value={isSignedIn}>
      <MayOpen.Provider value={(steps) => mayOpen(person, steps)}>
        <div class="console">
          <header class="top" hidden={isKiosk || !isSignedIn}>
            <strong class="brand">Hongbao</strong>
            <Search {...{ api, person }} />
            <Navigation {...{ api, person }} current={partOf(address.steps[0] ?? firstPart(person))}>
              {settings.api === location.origin + settings.basePath && may(person, 'inspect') && (
                <QueuesButton api={settings.api} token={session.token ?? ''} />
              )}
            </Navigation>
            <div class="session">
              <span class="who" title={name}>
                {name}
              </span>
              <LanguageButton {...{ language, onSwitch }} />
              <button onClick={onSignOut}>{words.navigation.signOut}</button>
              <ZoneChoice onSwitch={() => draw((before) => before + 1)} />
            </div>
          </header>
          <main key={[person.role, person.channelId, person.sub].join(' ')} hidden={!isSignedIn}>
            {endsAt && (
              <p role="alert">{words.navigation.endsAt(momentText(endsAt, { timeStyle: 'medium' }))}</p>
            )}
            {!isKiosk && <WayUp steps={address.steps} />}
            <View {...{ api, address, settings, person }} />
            <Notices />
          </main>
        </div>
      </MayOpen.Provider>
    </CanAsk.Provider>
  );
}

/** A win belongs to its activity. */
const partOf = (step: string): string => (step === 'wins' ? 'activities' : step);

/** Leads from the page of one thing to the list that it is in, and from a form about it to its page. */
function WayUp({ steps: [part = '', id, step] }: { readonly steps: readonly string[] }) {
  const list = partOf(part);
  if (id === undefined || !(list in words.navigation.parts)) return null;
  if (part === 'series' && step === 'change')
    return <UpLink to={[list, id]}>{words.series.title(id)}</UpLink>;
  const tabs: Readonly<Record<string, Record<string, string>>> = {
    payouts: words.payouts.tabs,
    approvals: words.requests.tabs,
  };
  const tab = tabs[list]?.[id];
  if (tab !== undefined && step === undefined) return null;
  return (
    <UpLink to={tab === undefined ? [list] : [list, id]}>
      {tab ?? words.navigation.parts[list as keyof typeof words.navigation.parts]}
    </UpLink>
  );
}

const UpLink = (link: { readonly to: readonly string[]; readonly children: string }) => (
  <Link class="above" {...link} />
);

function View(props: ViewProps) {
  const [part = firstPart(props.person), id] = props.address.steps;
  useEffect(() => {
    const titles: Readonly<Record<string, string>> = { ...words.navigation.parts, wins: words.wins.part };
    document.title = [id, titles[part], 'Hongbao'].filter(Boolean).join(' · ');
  }, [part, id, words]);
  if (!mayOpen(props.person, props.address.steps)) return <NotForYou {...props} />;
  switch (part) {
    case 'activities':
      if (id === undefined) return <ActivitiesView {...props} />;
      if (id === 'new') return <NewActivityView {...props} />;
      return props.address.steps[2] === 'report' ? (
        <ReportView key={id} {...props} id={id} />
      ) : (
        <ActivityView key={id} {...props} id={id} />
      );
    case 'series':
      return <SeriesPages {...props} />;
    case 'wall':
      return <WallView {...props} />;
    case 'code-pools':
      return id === undefined ? <CodePoolsView {...props} /> : <CodePoolView key={id} {...props} id={id} />;
    case 'ticket-keys':
      return <TicketKeysView {...props} />;
    case 'wallets':
      return id === undefined ? <WalletsView {...props} /> : <WalletView key={id} {...props} ownerId={id} />;
    case 'currencies':
      return <CurrenciesView {...props} />;
    case 'dead-letters':
      return <DeadLettersView {...props} />;
    case 'payouts':
      return <Payouts {...props} />;
    case 'approvals':
      return <ApprovalsView {...props} />;
    case 'webhooks':
      return <WebhooksView {...props} />;
    case 'wins':
      return <WinView key={props.address.steps.join('/')} {...props} />;
    case 'erasures':
      return <ErasuresView {...props} />;
    case 'audit':
      return <AuditView {...props} />;
    case 'files':
      return <FilesView {...props} />;
    default:
      return <NoSuchPage person={props.person} />;
  }
}

function NotForYou({ person, address: { steps } }: Pick<ViewProps, 'person' | 'address'>) {
  const [part = '', step] = steps;
  const parts: Readonly<Record<string, string>> = { ...words.navigation.parts, wins: words.wins.part };
  const name = part === 'activities' && step === 'new' ? words.activities.new : parts[part]!;
  const others = rolesFor(steps).map((role) => words.roles[role]);
  return (
    <>
      <h1>{words.common.notForYou(name)}</h1>
      <p class="about">{words.common.whoseRole(listText(others), words.roles[person.role], others.length)}</p>
      <PartLink part={firstPart(person)} />
    </>
  );
}

function NoSuchPage({ person }: Pick<ViewProps, 'person'>) {
  return (
    <>
      <h1>{words.common.noSuchPage}</h1>
      <p class="about">{words.common.oldLink}</p>
      <PartLink part={firstPart(person)} />
    </>
  );
}

function SeriesPages(props: ViewProps) {
  const [, id, step] = props.address.steps;
  if (id === undefined) return <SeriesListView {...props} />;
  if (id === 'new') return <NewSeriesView {...props} />;
  const View = step === 'change' ? ChangeSeriesView : SeriesView;
  return <View key={id} {...props} id={id} />;
}

function Payouts(props: ViewProps) {
  const [, step] = props.address.steps;
  if (step === undefined) return <PayoutsView {...props} />;
  if (step === 'channels') return <ChannelsView {...props} />;
  if (step === 'findings') return <FindingsView {...props} />;
  return <PayoutView key={step} {...props} id={step} />;
}
