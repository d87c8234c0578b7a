import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import type { FieldFault } from '../../../libs/problem';
import { invalidRequest, unknownField } from './http.error';

const FAULTS_MAX = 20;
const UNKNOWN_FIELD = 'whitelistValidation';

/** Checks bodies and queries against their classes. Nothing unknown passes, and each fault names its field by full path. */
export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    exceptionFactory: toProblem,
  });
}

function toProblem(errors: ValidationError[]): Error {
  const faults = errors.flatMap((error) => faultsOf(error, ''));
  const fields = faults.slice(0, FAULTS_MAX).map(({ field, message }) => ({ field, message }));
  return faults.every(({ unknown }) => unknown)
    ? unknownField('The request has fields that are not known here.', { fields })
    : invalidRequest('The request is not valid.', { fields });
}

function faultsOf(error: ValidationError, parent: string): (FieldFault & { unknown: boolean })[] {
  const field = pathOf(parent, error.property);
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => {
    const unknown = rule === UNKNOWN_FIELD;
    return {
      field,
      unknown,
      message: unknown ? 'is not a field of this request' : withoutName(message, error.property),
    };
  });
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, field))];
}

function pathOf(parent: string, property: string): string {
  if (parent === '') return property;
  return /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
}

function withoutName(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
