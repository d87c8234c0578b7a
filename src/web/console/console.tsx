import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiClient } from '../../../libs/client';
import type { Session } from '../kit/session';
import type { PageSettings } from '../kit/settings';
import { useToken } from '../kit/use-token';
import { firstPart, Navigation } from './navigation';
import { signOutAt } from './session/open-id';
import { QueuesButton } from './session/queues-button';
import { SignIn } from './session/sign-in';
import { useSignedIn } from './session/signed-in';
import { may, staffOf } from './session/staff';
import { useAddress } from './ui/address';
import { LanguageButton } from './ui/language-button';
import { Notices } from './ui/notices';
import { ActivitiesView } from './views/activities/activities';
import { ActivityView } from './views/activities/activity';
import { NewActivityView } from './views/activities/new-activity';
import { ApprovalsView } from './views/approvals';
import { AuditView } from './views/audit';
import { DeadLettersView } from './views/dead-letters';
import { FilesView } from './views/files';
import { ChannelsView } from './views/payouts/channels/channels';
import { FindingsView } from './views/payouts/findings';
import { PayoutView } from './views/payouts/payout';
import { PayoutsView } from './views/payouts/payouts';
import type { ViewProps } from './views/view-props';
import { KIOSK, WallView } from './views/wall/wall';
import { WalletsView, WalletView } from './views/wallets/wallets';
import { WebhooksView } from './views/webhooks';
import { words } from './words';
import { momentText } from './words/language';

interface ConsoleProps {
  readonly settings: PageSettings;
  readonly session: Session;
}

export function Console({ settings, session }: ConsoleProps) {
  const token = useToken(session);
  const person = token === undefined ? undefined : staffOf(token, settings.roles);
  const { endsAt, hasEnded } = useSignedIn(session, token, settings.signIn);
  const api = useMemo(() => new ApiClient(settings.api, () => session.token ?? ''), [settings.api, session]);
  const address = useAddress();
  const [, draw] = useState(words);
  const drawAnew = () => draw(words);
  const signOut = () => {
    session.use(undefined);
    if (settings.signIn) void signOutAt(settings.signIn);
  };
  if (!person)
    return (
      <SignIn
        service={settings.signIn}
        roles={settings.roles}
        refused={token !== undefined}
        hasEnded={hasEnded}
        onToken={(given) => session.use(given)}
        onSwitch={drawAnew}
      />
    );
  const isKiosk = address.steps[0] === 'wall' && address.query[KIOSK] !== undefined;
  const name = `${person.sub} · ${words.roles[person.role]}`;
  return (
    <>
      <header class="top" hidden={isKiosk}>
        <strong>Hongbao</strong>
        <Navigation {...{ api, person }} current={address.steps[0] ?? firstPart(person)} />
        <span class="who" title={name}>
          {name}
        </span>
        {settings.api === location.origin + settings.basePath && may(person, 'inspect') && (
          <QueuesButton api={settings.api} token={session.token!} />
        )}
        <LanguageButton onSwitch={drawAnew} />
        <button onClick={signOut}>{words.navigation.signOut}</button>
      </header>
      <main key={person.sub + person.role}>
        {endsAt && <p role="alert">{words.navigation.endsAt(momentText(endsAt, { timeStyle: 'medium' }))}</p>}
        <View {...{ api, person, address, settings }} />
        <Notices />
      </main>
    </>
  );
}

function View(props: ViewProps) {
  const [part = firstPart(props.person), id] = props.address.steps;
  useEffect(() => {
    const titles: Readonly<Record<string, string>> = words.navigation.parts;
    document.title = [id, titles[part], 'Hongbao'].filter(Boolean).join(' · ');
  }, [part, id, words]);
  switch (part) {
    case 'activities':
      if (id === undefined) return <ActivitiesView {...props} />;
      return id === 'new' ? <NewActivityView {...props} /> : <ActivityView key={id} {...props} id={id} />;
    case 'wall':
      return <WallView {...props} />;
    case 'wallets':
      return id === undefined ? <WalletsView /> : <WalletView key={id} {...props} ownerId={id} />;
    case 'dead-letters':
      return <DeadLettersView {...props} />;
    case 'payouts':
      return <Payouts {...props} />;
    case 'approvals':
      return <ApprovalsView {...props} />;
    case 'webhooks':
      return <WebhooksView {...props} />;
    case 'audit':
      return <AuditView {...props} />;
    case 'files':
      return <FilesView {...props} />;
    default:
      return <h1>{words.common.noSuchPage}</h1>;
  }
}

function Payouts(props: ViewProps) {
  const [, step] = props.address.steps;
  if (step === undefined) return <PayoutsView {...props} />;
  if (step === 'channels') return <ChannelsView {...props} />;
  if (step === 'findings') return <FindingsView {...props} />;
  return <PayoutView key={step} {...props} id={step} />;
}
