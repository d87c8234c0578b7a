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
  if (roles === undefined) return 'Open to everybody, without a token.';
  return `Roles: ${roles.map((role) => `\`${role}\``).join(', ')}.`;
}
