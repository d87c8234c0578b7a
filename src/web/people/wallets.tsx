import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../../libs/client';
import { isOfCodes } from '../kit/money';
import { CLOSED_PURSE, Purse, type Wallet } from '../kit/purse';
import { PurseDialog } from '../kit/purse-dialog';
import { PURSE_WORDS } from '../kit/purse-words';
import type { Answer } from './answer';
import { moneyAmong } from './several';
import type { Visit } from './visit';
import { Waiting } from './waiting';

interface WalletsProps extends Visit {
  /** All wallets, and the one in the default currency. */
  readonly answer: Answer<readonly [Schema<'WalletListDto'>, Wallet]>;
  readonly round: number;
}

/** The balances of the user, and how to withdraw from each wallet. */
export function Wallets({ answer, round, ...visit }: WalletsProps) {
  const { words, language } = visit;
  const [open, setOpen] = useState<string>();
  const [list, byDefault] = answer.value ?? [];
  const wallets = list?.items.filter(isWorthShowing) ?? [];
  const money = moneyAmong(wallets, language);
  const first = wallets.findIndex(({ currency }) => !isOfCodes(currency));
  const send = (
    <a class="quiet gold" href="send" aria-label={words.send}>
      {words.sendShort}
    </a>
  );
  const opened = wallets.find(({ currency }) => currency === open);
  return (
    <>
      <section class="card" aria-label={words.wallet}>
        <h2>{words.wallet}</h2>
        {wallets.map(({ balance, currency, pending }, i) => (
          <div key={currency} class="wallet">
            <p class="amount" data-balance={balance}>
              {money(balance, currency)}
            </p>
            {Number(pending) > 0 && <p class="hint">{words.onItsWay(money(pending, currency))}</p>}
            {!isOfCodes(currency) && (
              <div class="ways">
                <button class="quiet" aria-haspopup="dialog" onClick={() => setOpen(currency)}>
                  {PURSE_WORDS[language].withdraw}
                  {wallets.length > 1 && <span class="unseen"> {currency}</span>}
                </button>
                {i === first && send}
              </div>
            )}
          </div>
        ))}
        {first < 0 && <div class="ways">{send}</div>}
        <Waiting {...visit} answer={answer} />
      </section>
      {opened && (
        <OpenWallet
          key={open}
          {...visit}
          wallet={opened}
          currency={open === byDefault?.currency ? undefined : open}
          onMoved={answer.ask}
          round={round}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** The wallet of a code that is held, or could not be paid, has nothing in it. */
const isWorthShowing = ({ balance, currency, pending }: Wallet): boolean =>
  !isOfCodes(currency) || Number(balance) > 0 || Number(pending) > 0;

interface OpenWalletProps extends Visit {
  readonly wallet: Wallet;
  /** Undefined for the default, which channels and requests do not name either. */
  readonly currency: string | undefined;
  readonly onMoved: () => void;
  readonly round: number;
  readonly onClose: () => void;
}

function OpenWallet({ api, session, currency, onMoved, round, ...props }: OpenWalletProps) {
  const [view, setView] = useState(CLOSED_PURSE);
  const over = useMemo(() => new AbortController(), []);
  useEffect(() => () => over.abort(), []);
  const purse = useMemo(() => {
    const owner = {
      over: over.signal,
      show: setView,
      onMoved: () => Promise.resolve(onMoved()),
      onSignedOut: () => session.requestToken(),
      currency: () => currency,
    };
    return new Purse(api, owner, session);
  }, [api]);
  useEffect(() => void purse.look(), [purse, round]);
  return <PurseDialog {...props} purse={purse} view={view} />;
}
