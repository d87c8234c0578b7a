import { useState } from 'preact/hooks';
import { isOfCodes } from '../kit/money';
import { useAnswer } from './answer';
import { SeenCodes } from './codes';
import { useNews } from './news';
import { shortId } from './person';
import { ReceivedList } from './received';
import { SentList } from './sent';
import type { Visit } from './visit';
import { Wallets } from './wallets';

const TABS = ['received', 'sent', 'codes'] as const;
type Tab = (typeof TABS)[number];

/** The wallets, and what the user has received and sent, with the codes that they have already seen. */
export function Mine(visit: Visit) {
  const { api, session, words } = visit;
  const [tab, setTab] = useState<Tab>(location.hash === '#sent' ? 'sent' : 'received');
  const { round, thanks } = useNews(visit);
  const wallets = useAnswer(() => Promise.all([api.listMyWallets(), api.readMyWallet()]), session, [
    api,
    round,
  ]);
  const currencies = wallets.value?.[0].items.map(({ currency }) => currency) ?? [];
  return (
    <>
      <Wallets {...visit} answer={wallets} round={round} />
      <nav class="tabs" aria-label={words.mine}>
        {TABS.filter((one) => one !== 'codes' || currencies.some(isOfCodes)).map((one) => (
          <button key={one} class="quiet" aria-pressed={tab === one} onClick={() => setTab(one)}>
            {words[one]}
          </button>
        ))}
      </nav>
      <p role="status" class="news">
        {thanks && words.hasThanked(shortId(thanks.thankedBy), thanks.text)}
      </p>
      {tab === 'received' && <ReceivedList {...visit} round={round} wallets={currencies} />}
      {tab === 'sent' && <SentList {...visit} round={round} />}
      {tab === 'codes' && <SeenCodes {...visit} round={round} />}
    </>
  );
}
