import type { Schema } from '../../../../../../libs/client';
import { words } from '../../../words';

type Proof = Schema<'ReconciliationDto'>;

/** The places of an activity's money. Each unit of it is in exactly one of them. */
const PLACES = ['credited', 'pending', 'dead', 'void', 'refunded', 'unclaimed'] as const;

/**
 * The equation of the proof as one bar. The parts are added up here, from the API's figures: its statement
 * that they agree is not relied on.
 */
export function ProofBar({ proof }: { readonly proof: Proof }) {
  const sum = PLACES.reduce((total, name) => total + minorOf(proof[name]), 0n);
  const addsUp = sum === minorOf(proof.funded);
  const isSound = addsUp && proof.verdict === 'balanced';
  return (
    <section class="proof" aria-label={words.proof.label}>
      <div class="bar" aria-hidden="true">
        {PLACES.map((name) => (
          <div
            key={name}
            class={name}
            style={{ width: `${(100 * Number(proof[name])) / Number(proof.funded)}%` }}
          />
        ))}
      </div>
      <dl class="facts">
        {PLACES.map((name) => (
          <div key={name} class={`place ${name}`}>
            <dt>{words.proof.places[name]}</dt>
            <dd>{proof[name]}</dd>
          </div>
        ))}
        <div>
          <dt>{words.proof.funded}</dt>
          <dd>{proof.funded}</dd>
        </div>
      </dl>
      <p class={isSound ? 'sound' : 'complaint'} data-verdict={proof.verdict}>
        {isSound
          ? words.proof.addsUp(`${proof.funded} ${proof.currency}`)
          : words.proof.broken(brokenChecks(proof))}
      </p>
    </section>
  );
}

function brokenChecks({ checks }: Proof): string {
  const broken = checks.filter(({ holds }) => !holds).map(({ name }) => name);
  return broken.length > 0 ? broken.join('; ') : words.proof.sumDiffers;
}

/**
 * All amounts of an installation have the same number of digits, so without their point they are
 * whole numbers.
 */
const minorOf = (amount: string): bigint => BigInt(amount.replace('.', ''));
