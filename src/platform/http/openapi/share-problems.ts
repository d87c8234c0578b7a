import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations';

/** Moves the answers of problems into the components: 923 answers are 88 different ones. */
export function shareProblems(document: OpenAPIObject): void {
  const responses: Record<string, object> = {};
  const names = new Map<string, string>();
  for (const { operation } of operationsOf(document))
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (!isProblem(answer)) continue;
      const text = JSON.stringify(answer);
      const name = names.get(text) ?? freeName(status, responses);
      names.set(text, name);
      responses[name] = answer;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  Object.assign(document.components!, { responses });
}

const isProblem = (answer: object | undefined): answer is object =>
  answer !== undefined && 'content' in answer && 'application/problem+json' in (answer.content as object);

/** Returns `Conflict`, `Conflict2` and so on. */
function freeName(status: string, taken: object): string {
  const name = STATUS_CODES[status]!.replaceAll(' ', '');
  const count = Object.keys(taken).filter((one) => one.replace(/\d+$/, '') === name).length;
  return count === 0 ? name : `${name}${count + 1}`;
}
