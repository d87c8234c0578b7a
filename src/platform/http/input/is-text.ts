import { ValidateBy, type ValidationArguments } from 'class-validator';

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

/** Returns the fault of a text, or undefined. Lengths count characters, not UTF-16 units. */
export function textFault(value: unknown, { min, max }: TextLength): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  const length = Array.from(value).length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (UNSTORABLE.test(value)) return 'must not contain control characters or halves of characters';
  if (TURNING.test(value)) return 'must not contain characters that turn the direction of a line';
  if (!VISIBLE.test(value)) return 'must not be blank';
  return undefined;
}

export function IsText(length: TextLength): PropertyDecorator {
  return ValidateBy({
    name: 'isText',
    validator: {
      validate: (value) => textFault(value, length) === undefined,
      defaultMessage: (args?: ValidationArguments) => textFault(args?.value, length) ?? '',
    },
  });
}
