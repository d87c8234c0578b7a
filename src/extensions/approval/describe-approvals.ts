import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type DeedDescription, SECOND_PERSON_PLACE, type SecondPersonPlace } from '../../core/second-person';
import { addProblems, busy, type Operation, operationsOf, placeOf } from '../../platform/http';
import { ApprovalDto } from './approval.dto';
import { nounOf } from './approval-views';

type MediaTypes = Readonly<Record<string, { readonly schema?: Schemas[string] }>>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Describes the operations that may request a deed, and the deeds that an approval can be for. */
export function describeApprovals(document: OpenAPIObject, deeds: readonly DeedDescription[]): void {
  for (const { operation } of operationsOf(document)) {
    const place = placeOf(operation, SECOND_PERSON_PLACE) as SecondPersonPlace | undefined;
    if (place) describeRequest(document, operation, place);
    if (operation.operationId === 'approveRequest')
      addProblems(
        operation,
        deeds.flatMap(({ problems }) => problems),
      );
    if (operation.operationId === 'rejectRequest')
      addProblems(
        operation,
        deeds.flatMap(({ rejectionProblems = [] }) => rejectionProblems),
      );
  }
  const { properties } = document.components!.schemas![ApprovalDto.name] as { properties: Schemas };
  describeDeeds(properties, deeds);
}

function describeRequest(
  document: OpenAPIObject,
  operation: Operation,
  { deed, pending = '' }: SecondPersonPlace,
): void {
  if (deed === undefined) removeSuccess(document, operation);
  else {
    operation.description +=
      ` ${deed} beyond \`APPROVAL_ABOVE\` or \`APPROVAL_ABOVE_DAILY\` is answered 202 and waits for a second ` +
      'person to approve it.';
    addProblems(operation, [busy]);
  }
  operation.responses[202] = {
    description: pending,
    content: { 'application/json': { schema: { $ref: getSchemaPath(ApprovalDto) } } },
  };
}

/** Removes the answer to a deed that is never performed at once, and its schema if nothing else uses it. */
function removeSuccess(document: OpenAPIObject, { responses }: Operation): void {
  const { content } = responses[200] as { readonly content?: MediaTypes };
  const schema = content?.['application/json']?.schema;
  delete responses[200];
  if (!schema || !('$ref' in schema) || JSON.stringify(document).includes(`"${schema.$ref}"`)) return;
  delete document.components!.schemas![schema.$ref.split('/').at(-1)!];
}

function describeDeeds({ action, subject, terms }: Schemas, deeds: readonly DeedDescription[]): void {
  const subjects = [...new Set(deeds.map(nounOf))].map(subjectOf);
  const fields = deeds.flatMap((deed) => deed.terms ?? []);
  Object.assign(action!, {
    enum: deeds.map((deed) => deed.action),
    description: 'The action, named as in the audit log.',
  });
  Object.assign(subject!, { description: `${subjects.slice(0, -1).join(', ')} or ${subjects.at(-1)}.` });
  Object.assign(terms!, {
    description:
      `Further fields of the request: ${fields.join('; ')}; the body of a creation or top-up, whose values are JSON ` +
      'unless they are text.',
  });
}

const subjectOf = (noun: string): string =>
  noun === 'wallet' ? '`wallet:<ownerId>` that gets or pays' : `\`${noun}:<id>\``;
