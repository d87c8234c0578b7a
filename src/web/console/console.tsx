import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiClient } from '../../../libs/client';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { useToken } from '../kit/use-token';
import { firstPart, mayOpen, Navigation } from './navigation';
import { QueuesButton } from './session/queues-button';
import { SignIn } from './session/sign-in';
import { useSharedSession } from './session/shared-session';
import { outlasts, useSignedIn } from './session/signed-in';
import { isSame, may, type Person, staffOf } from './session/staff';
import { MayOpen, useAddress } from './ui/address';
import { CanAsk } from './ui/asking';
import { LanguageButton } from './ui/language-button';
import { Notices } from './ui/notices';
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
import { momentText } from './words/language';

interface ConsoleProps {
  readonly settings: PageSettings;
  readonly session: Session;
}

export function Console({ settings, session }: ConsoleProps) {
  const token = useToken(session);
  const person = token === undefined ? undefined : staffOf(token, settings.roles);
  const { endsAt, hasEnded, signOut } = useSignedIn(session, token, settings.signIn);
  /** Whose views are kept: those of a person whose sign-in has ended wait for the next one, with all that was typed. */
  const kept = useRef<Person | undefined>(undefined);
  if (person || !hasEnded) kept.current = person;
  const accepts = (given: string) => {
    const other = staffOf(given, settings.roles);
    if (!other || (kept.current && !isSame(other, kept.current))) return false;
    return session.token === undefined || outlasts(given, session.token);
  };
  const tellSignedOut = useSharedSession({ session, api: settings.api, accepts, onSignedOut: signOut });
  const api = useMemo(() => new ApiClient(settings.api, () => session.token ?? ''), [settings.api, session]);
  const address = useAddress();
  const [, draw] = useState(0);
  const drawAnew = () => draw((before) => before + 1);
  const signOutAll = () => {
    tellSignedOut();
    signOut();
  };
  const shown = kept.current;
  const signIn = !person && (
    <SignIn
      service={settings.signIn}
      roles={settings.roles}
      refused={token !== undefined}
      hasEnded={shown !== undefined}
      onToken={(given) => session.use(given)}
      onSwitch={drawAnew}
    />
  );
  if (!shown) return <>{signIn}</>;
  const isKiosk = address.steps[0] === 'wall' && address.query[KIOSK] !== undefined;
  const name = `${shown.sub} · ${words.roles[shown.role]}`;
  return (
    <CanAsk.Provider value={person !== undefined}>
      <MayOpen.Provider value={(steps) => mayOpen(shown, steps)}>
        {signIn}
        <div class="console">
          <header class="top" hidden={isKiosk || !person}>
            <strong class="brand">Hongbao</strong>
            <Search api={api} person={shown} />
            <Navigation {...{ api }} person={shown} current={address.steps[0] ?? firstPart(shown)} />
            <div class="session">
              <span class="who" title={name}>
                {name}
              </span>
              {settings.api === location.origin + settings.basePath && may(shown, 'inspect') && (
                <QueuesButton api={settings.api} token={session.token ?? ''} />
              )}
              <LanguageButton onSwitch={drawAnew} />
              <button onClick={signOutAll}>{words.navigation.signOut}</button>
            </div>
          </header>
          <main key={[shown.role, shown.channelId, shown.sub].join(' ')} hidden={!person}>
            {endsAt && (
              <p role="alert">{words.navigation.endsAt(momentText(endsAt, { timeStyle: 'medium' }))}</p>
            )}
            <View {...{ api, address, settings }} person={shown} />
            <Notices />
          </main>
          <footer hidden={isKiosk || !person}>
            <ZoneChoice onSwitch={drawAnew} />
          </footer>
        </div>
      </MayOpen.Provider>
    </CanAsk.Provider>
  );
}

function View(props: ViewProps) {
  const [part = firstPart(props.person), id] = props.address.steps;
  useEffect(() => {
    const titles: Readonly<Record<string, string>> = { ...words.navigation.parts, wins: words.wins.part };
    document.title = [id, titles[part], 'Hongbao'].filter(Boolean).join(' · ');
  }, [part, id, words]);
  if (!mayOpen(props.person, props.address.steps)) return <h1>{words.common.notForYou}</h1>;
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
      return <h1>{words.common.noSuchPage}</h1>;
  }
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
