import { ValidateBy, type ValidationArguments } from 'class-validator';

export interface TextLength {
  readonly min: number;
  readonly max: number;
}

/**
 * Control characters and lone surrogates (halves of a character). JSON can write those, but UTF-8
 * cannot. Postgres refuses them in `jsonb`, and text that is stored would differ from the text that
 * was sent.
 */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/**
 * A character other than spaces, line separators, marks of direction, fillers and whatever else
 * leaves no ink.
 */
const VISIBLE = /[^\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Returns what is wrong with a text that people write for people, or undefined. Its length is
 * counted in characters, not in UTF-16 units.
 */
export function textFault(value: unknown, { min, max }: TextLength): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  const length = Array.from(value).length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (UNSTORABLE.test(value)) return 'must not contain control characters or halves of characters';
  if (!VISIBLE.test(value)) return 'must not be blank';
  return undefined;
}

/** A field of free text. */
export function IsText(length: TextLength): PropertyDecorator {
  return ValidateBy({
    name: 'isText',
    validator: {
      validate: (value) => textFault(value, length) === undefined,
      defaultMessage: (args?: ValidationArguments) => textFault(args?.value, length) ?? '',
    },
  });
}
