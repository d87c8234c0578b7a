import { type Fault, must } from '../../../../libs/problem';
import { Judged } from './judged';

export interface TextLength {
  readonly min: number;
  readonly max: number;
}

/**
 * Control characters and lone surrogates: UTF-8 cannot write those, and Postgres refuses them in
 * `jsonb`.
 */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/** Characters that turn the direction of a line, so a sentence around the text would read otherwise. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** A character that leaves ink. */
const VISIBLE = /[^\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Lengths count characters, not UTF-16 units. */
function textFault(value: unknown, { min, max }: TextLength): Fault | undefined {
  if (typeof value !== 'string') return must.beA('text');
  const length = Array.from(value).length;
  if (length < min || length > max) return must.haveCharacters({ minimum: min, maximum: max });
  if (UNSTORABLE.test(value)) return must.beA('text-without-control-characters');
  if (TURNING.test(value)) return must.beA('text-without-direction-marks');
  return VISIBLE.test(value) ? undefined : must.beThere('must not be blank');
}

export const IsText = (length: TextLength): PropertyDecorator =>
  Judged('isText', (value) => textFault(value, length));
