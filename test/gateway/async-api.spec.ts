import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { OpenAPIObject } from '@nestjs/swagger';
import { apiDocument } from '../../src/api-document';
import { asyncApi } from '../../src/extensions/gateway';
import { CLOSE } from '../../src/extensions/gateway/close-code';
import { OPS } from '../../src/extensions/gateway/frame';
import { eventNames } from '../../src/core/news';

interface Message {
  readonly payload: { readonly properties: Record<string, object> };
  readonly examples: { readonly payload: object }[];
}

interface AsyncDocument {
  readonly info: { readonly description: string };
  readonly channels: { readonly gateway: { readonly messages: Record<string, Message> } };
  readonly operations: Record<string, object>;
}

let api: OpenAPIObject;
let document: AsyncDocument;
let validator: Ajv2020;

beforeAll(async () => {
  api = await apiDocument(Date.now());
  document = asyncApi(api) as AsyncDocument;
  validator = addFormats(new Ajv2020({ strict: false }));
  validator.addSchema(document, 'frames');
});

const judge = (message: string) =>
  validator.getSchema(`frames#/channels/gateway/messages/${message.replace('/', '~1')}/payload`)!;

describe('the AsyncAPI document', () => {
  it('is valid AsyncAPI 3.0.0', () => {
    const schema = JSON.parse(
      readFileSync(require.resolve('@asyncapi/specs/schemas/3.0.0.json'), 'utf8'),
    ) as object;
    // The schema contains the meta-schema, which Ajv would add a second time (`meta: false`).
    const ajv = addFormats(
      new Ajv({ strict: false, validateFormats: false, validateSchema: false, meta: false }),
    );
    const isValid = ajv.compile(schema);
    expect([isValid(document), isValid.errors]).toEqual([true, null]);
  });

  it('refers only to what it contains', () => {
    const at = (pointer: string) =>
      pointer.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document);
    const pointers = Array.from(JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g), ([, to]) => to!);
    expect(pointers.length).toBeGreaterThan(20);
    expect(pointers.filter((pointer) => at(pointer) === undefined)).toEqual([]);
  });

  it('describes every operation, every event and every close code', () => {
    expect(Object.keys(document.operations)).toEqual([...OPS, 'news']);
    expect(Object.keys(document.channels.gateway.messages)).toEqual(
      expect.arrayContaining([...OPS, ...OPS.map((op) => `${op}Answer`), ...eventNames(), 'resync']),
    );
    for (const code of Object.values(CLOSE)) expect(document.info.description).toContain(String(code));
  });

  it('has the ticket of a tap as a field of a grab, like the header of a request', () => {
    const { parameters } = api.paths['/v1/activities/{id}/grabs']!.post!;
    const header = parameters!.find((parameter) => 'name' in parameter && parameter.name === 'Ticket');
    const { properties } = document.channels.gateway.messages.grab!.payload;
    expect(header).toMatchObject({ in: 'header', schema: properties.ticket });
    expect(properties.ticket).toEqual({ type: 'string', maxLength: 800 });
  });

  it('gives examples that match its schemas', () => {
    for (const [name, { examples }] of Object.entries(document.channels.gateway.messages))
      expect([name, judge(name)(examples[0]!.payload)]).toEqual([name, true]);
  });

  it('rejects frames that the gateway refuses', () => {
    expect(judge('grab')({ id: '1', op: 'grab', activityId: 1 })).toBe(false);
    expect(judge('grab')({ id: '1', op: 'grab', activityId: '1', x: 1 })).toBe(false);
    expect(judge('watch')({ id: '1', op: 'watch', activityIds: Array(11).fill('1') })).toBe(false);
    expect(judge('ping')({ id: '', op: 'ping' })).toBe(false);
  });
});
