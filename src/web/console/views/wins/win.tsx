import { Link } from '../../ui/address';
import { useAnswer } from '../../ui/asking';
import { Facts } from '../../ui/facts';
import { NotThere } from '../../ui/not-there';
import { RefreshButton } from '../../ui/refresh-button';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { may } from '../../session/staff';
import { LetterDeeds } from '../dead-letters';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { readWin, type Win } from './read-win';
import { WinStory } from './win-story';

/** One win, from the tap to the payout: all that the API says about it in one place. */
export function WinView({ api, person, address: { steps } }: ViewProps) {
  const [, activityId = '', userId = ''] = steps;
  const win = useAnswer(
    async (options) => ({ found: await readWin(api, person, { activityId, userId }, options) }),
    [api, person.role, activityId, userId],
  );
  if (win.fault?.isMissing) return <NotThere sentence={win.fault.sentence} part="activities" />;
  const found = win.value?.found;
  return (
    <>
      <div class="row titled">
        <h1>
          {win.value && !found ? words.wins.none(userId, activityId) : words.wins.title(userId)}{' '}
          {found && <Settlement of={found.grab.settlement} />}
        </h1>
        {found && <RefreshButton onClick={win.ask} />}
      </div>
      <Unread asked={win} />
      {win.value && !found && (
        <>
          <p role="alert" class="about">
            {words.wins.noneHint}
          </p>
          <p>
            <Link class="button" to={['activities', activityId]}>
              {words.wins.toActivity(activityId)}
            </Link>
          </p>
        </>
      )}
      {found && (
        <>
          <p class="about">
            {words.wins.inActivity}
            <Link to={['activities', activityId]}>{found.activity.name}</Link>
          </p>
          <Unpaid {...{ api, person }} letter={found.letter} onDone={win.ask} />
          <div class="panel">
            <Standing win={found} />
          </div>
          <WinStory win={found} />
          <Proof win={found} />
          <details>
            <summary>{words.wins.raw}</summary>
            <pre tabIndex={0}>{JSON.stringify(found, null, 2)}</pre>
          </details>
        </>
      )}
    </>
  );
}

const VERDICTS = {
  ...{ credited: 'ok', paid: 'ok', pending: 'warn', sent: 'warn' },
  ...{ held: 'stop', 'dead-letter': 'stop', void: '' },
} as const;

function Settlement({ of }: { readonly of: Win['grab']['settlement'] }) {
  return <span class={`phase ${VERDICTS[of]}`}>{words.winners.settlements[of]}</span>;
}

interface UnpaidProps extends Pick<ViewProps, 'api' | 'person'> {
  readonly letter?: Win['letter'];
  readonly onDone: () => void;
}

/** Why it is not paid, and what can be done about it. */
function Unpaid({ api, person, letter, onDone }: UnpaidProps) {
  if (letter?.status !== 'open' && letter?.status !== 'resolved') return null;
  const isOfFrozen = letter.status === 'open' && letter.reason === 'wallet_frozen';
  return (
    <section class="panel unpaid" aria-label={words.wins.letter}>
      <div class="row asking">
        <p>
          <strong>{words.wins.unpaid(words.deadLetters.reasons[letter.reason])}</strong>
          {(letter.resolution ?? letter.lastError) && (
            <>
              <br />
              <small>{letter.resolution ?? letter.lastError}</small>
            </>
          )}
        </p>
        {may(person, 'manage-money') && (
          <>
            {isOfFrozen && (
              <Link class="button main" to={['wallets', letter.userId]} query={{ currency: letter.currency }}>
                {words.wins.toWallet}
              </Link>
            )}
            <LetterDeeds isAlone={!isOfFrozen} {...{ api, letter, onDone }} />
          </>
        )}
      </div>
    </section>
  );
}

/** Its times are in the story. */
function Standing({ win: { grab, credit, letter } }: { readonly win: Win }) {
  return (
    <Facts
      leads
      label={words.wins.standing}
      facts={{
        [words.labels.amount]: `${grab.amount} ${grab.currency}`,
        [words.labels.userId]: <WalletLink userId={grab.userId} currency={grab.currency} />,
        [words.winners.packet]: grab.redPacketId,
        [words.wins.claim]: grab.claimId,
        [words.wallets.transfer]: credit?.transferId,
        [words.wins.letter]: letter && (
          <Link to={['dead-letters']} query={{ status: letter.status, user: grab.userId }}>
            {letter.id}
          </Link>
        ),
      }}
    />
  );
}

/** Where the packet was among those that were committed to before they could be won. */
function Proof({ win: { grab, batch } }: { readonly win: Win }) {
  if (!batch) return null;
  return (
    <details>
      <summary>{words.wins.proof}</summary>
      <Facts
        label={words.wins.proof}
        facts={{
          [words.fairness.batch]: batch.batch,
          [words.fairness.commitment]: batch.commit ? <code>{batch.commit}</code> : words.fairness.noHash,
          [words.fairness.root]: batch.root ? <code>{batch.root}</code> : words.fairness.noHash,
          [words.fairness.seed]: batch.seed ? <code>{batch.seed}</code> : words.fairness.secret,
        }}
      />
      <p>
        {words.wins.proofHint}{' '}
        <Link to={['activities', grab.activityId, 'fairness']}>{words.wins.checkProof}</Link>
        {words.activity.stop}
      </p>
    </details>
  );
}
