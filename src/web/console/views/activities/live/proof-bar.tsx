import type { Schema } from '../../../../../../libs/client';
import { minorOf } from '../../../../kit/money';
import { Link } from '../../../ui/address';
import { words } from '../../../words';
import { amountText, grouped } from '../../../words/language';

type Proof = Schema<'ReconciliationDto'>;

/** The places of an activity's money. Each unit of it is in exactly one of them. */
const PLACES = ['credited', 'sent', 'paid', 'pending', 'dead', 'void', 'refunded', 'unclaimed'] as const;
type Place = (typeof PLACES)[number];

const amountIn = (proof: Proof, place: Place): string => {
  const { kept, sent, paid } = proof.credits;
  if (place === 'sent' || place === 'paid') return { sent, paid }[place].amount;
  return place === 'credited' ? kept.amount : proof[place];
};

interface ProofBarProps {
  readonly proof: Proof;
  /** Credits leave the wallets through a channel. */
  readonly isPaidOut: boolean;
  /** Nothing was won: only the places that hold some of it are shown. */
  readonly isBrief?: boolean;
}

/**
 * The equation of the proof as one bar. The parts are added up here, from the API's figures: its statement
 * that they agree is not relied on.
 */
export function ProofBar({ proof, isPaidOut, isBrief = false }: ProofBarProps) {
  const places = PLACES.filter((name) => isPaidOut || !isOutside(name)).map((name) => ({
    name,
    amount: amountIn(proof, name),
  }));
  const shown = isBrief ? places.filter(({ amount }) => minorOf(amount) !== 0n) : places;
  const sum = places.reduce((total, { amount }) => total + minorOf(amount), 0n);
  const addsUp = sum === minorOf(proof.funded);
  const isSound = addsUp && proof.verdict === 'balanced';
  return (
    <section class="proof" aria-label={words.proof.label}>
      <div class="bar" aria-hidden="true">
        {places.map(({ name, amount }) => (
          <div
            key={name}
            class={name}
            style={{
              // However little of it is anywhere, it is seen.
              minWidth: minorOf(amount) === 0n ? undefined : '3px',
              width: `${(100 * Number(amount)) / Number(proof.funded)}%`,
            }}
          />
        ))}
      </div>
      <dl class="facts">
        {shown.map(({ name, amount }) => (
          <div key={name} class={`place ${name} ${minorOf(amount) === 0n ? 'zero' : ''}`}>
            <dt>{words.proof.places[name]}</dt>
            <dd>
              <Amount {...{ name, amount, proof }} />
            </dd>
          </div>
        ))}
        <div>
          <dt>{words.proof.funded}</dt>
          <dd>
            {grouped(proof.funded)} <small>{proof.currency}</small>
          </dd>
        </div>
      </dl>
      <p class={isSound ? 'sound' : 'complaint'} data-verdict={proof.verdict}>
        {isSound
          ? words.proof.addsUp(amountText(`${proof.funded} ${proof.currency}`))
          : words.proof.broken(brokenChecks(proof))}
      </p>
    </section>
  );
}

/** What is in dead letters leads to them. */
function Amount({ name, amount, proof }: { name: Place; amount: string; proof: Proof }) {
  const text = (
    <>
      {grouped(amount)} <small>{proof.currency}</small>
    </>
  );
  if (name !== 'dead' || minorOf(amount) === 0n) return text;
  return (
    <Link to={['dead-letters']} query={{ activity: proof.activityId }}>
      {text}
    </Link>
  );
}

const isOutside = (place: Place): boolean => place === 'sent' || place === 'paid';

function brokenChecks({ checks }: Proof): string {
  const broken = checks.filter(({ holds }) => !holds).map(({ name }) => name);
  return broken.length > 0 ? broken.join('; ') : words.proof.sumDiffers;
}
