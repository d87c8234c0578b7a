import type { OpenAPIObject } from '@nestjs/swagger';
import { ROLES_MARK } from '../problems/marks';
import { type Operation, operationsOf } from './operations';

/** Adds the roles in words for people. Tools read the extension. */
export function describeRoles(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    const { description = '' } = operation;
    operation.description = [description, rolesOf(operation)].filter(Boolean).join('\n\n');
  }
}

function rolesOf(operation: Operation): string {
  const roles = operation[ROLES_MARK] as readonly string[] | undefined;
  if (roles === undefined) return 'Open to everyone, without a token.';
  const named = `Roles: ${roles.map((role) => `\`${role}\``).join(', ')}.`;
  return isOpenToStrangers(operation) ? `${named} A token may be left out.` : named;
}

/** One of its ways in requires nothing. */
const isOpenToStrangers = ({ security = [] }: Operation): boolean =>
  security.some((way) => Object.keys(way).length === 0);
