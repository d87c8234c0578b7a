import { ValidateBy, type ValidationArguments, type ValidationError } from 'class-validator';
import { type Fault, must } from '../../../../libs/problem';

/** @param body the object that the value is a field of */
type FaultOf = (value: unknown, body: object) => Fault | undefined;

const UNKNOWN_FIELD = 'whitelistValidation';

/**
 * Checks a field by a function that returns its fault, with which the request is answered. All other
 * checks of fields are made of this one, so no fault is without a rule.
 * @param name differs among the checks of one field
 */
export function Judged(name: string, faultOf: FaultOf): PropertyDecorator {
  const validator = {
    validate: (value: unknown, args?: ValidationArguments) => faultOf(value, args!.object) === undefined,
    defaultMessage: (args?: ValidationArguments) => faultOf(args!.value, args!.object)?.message ?? '',
  };
  return ValidateBy({ name, validator }, { context: { faultOf } });
}

/** A check whose fault is always the same. */
export const Is = (name: string, isValid: (value: unknown) => boolean, fault: Fault): PropertyDecorator =>
  Judged(name, (value) => (isValid(value) ? undefined : fault));

/**
 * The faults of a field. Faults that class-validator finds by itself are unknown fields and values that are
 * not objects.
 */
export function faultsIn({ constraints = {}, contexts = {}, value, target }: ValidationError): Fault[] {
  return Object.keys(constraints).map((name) => {
    const { faultOf } = (contexts[name] ?? {}) as { faultOf?: FaultOf };
    if (name === UNKNOWN_FIELD) return must.beKnown();
    return faultOf?.(value, target!) ?? must.beA('object');
  });
}
