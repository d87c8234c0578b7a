import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';

interface Content {
  readonly schema?: object;
}

interface Described {
  /** An answer that many operations share is a component. */
  readonly $ref?: string;
  readonly content?: Record<string, Content>;
  readonly headers?: Record<string, unknown>;
}

interface Document {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Described> }>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly headers: Record<string, object>;
    readonly responses: Record<string, Described>;
  };
}

export interface GivenAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A server that hangs in a test must not make the test hang. */
const READ_WITHIN_MS = 5_000;

/** Headers for HTTP itself, browsers and proxies, which an operation need not describe. */
const GENERAL =
  /^(date|connection|keep-alive|content-(type|length|security-policy)|transfer-encoding|cache-control|vary|access-control-.+|cross-origin-resource-policy|referrer-policy|strict-transport-security|x-content-type-options|x-accel-buffering)$/;

/** Compares the answers of a server with an OpenAPI document. */
export class ApiDocument {
  private readonly bodies = addFormats(new Ajv2020({ strict: false }));
  /** Checks headers, which are all text. */
  private readonly headers = addFormats(new Ajv2020({ strict: false, coerceTypes: true }));
  private readonly templates: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(private readonly document: Document) {
    for (const ajv of [this.bodies, this.headers]) ajv.addSchema(closed(document) as object, 'api');
    this.templates = Object.keys(document.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  /** Undefined in production, and on the port for clients if operators have a port of their own. */
  static async read(url: string): Promise<ApiDocument | undefined> {
    const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(READ_WITHIN_MS) });
    return response.ok ? new ApiDocument((await response.json()) as Document) : undefined;
  }

  /** Returns the part of an answer that the document does not describe. */
  undescribed(answer: GivenAnswer): string | undefined {
    const method = answer.method.toLowerCase();
    const path = answer.path.split('?')[0]!;
    const template = this.templates.find(({ pattern }) => pattern.test(path))?.path;
    const responses = template === undefined ? undefined : this.document.paths[template]![method]?.responses;
    if (template === undefined || responses === undefined || isOfNoRoute(answer)) return undefined;
    const own = responses[answer.status];
    if (!own) return `${method} ${template} has no answer ${answer.status}`;
    const shared = own.$ref?.split('/').at(-1);
    const response = shared === undefined ? own : this.document.components.responses[shared]!;
    const place =
      shared === undefined
        ? ['paths', template, method, 'responses', String(answer.status)]
        : ['components', 'responses', shared];
    return this.undescribedBody(answer, response, place) ?? this.undescribedHeaders(answer, response);
  }

  /** Does the same for a message that a webhook received. */
  undescribedMessage(message: { readonly type: string }): string | undefined {
    const content = ['requestBody', 'content', 'application/json', 'schema'];
    return faultOf(this.bodies, message, ['webhooks', message.type, 'post', ...content]);
  }

  undescribedLine(schema: string, line: unknown): string | undefined {
    return faultOf(this.bodies, line, ['components', 'schemas', schema]);
  }

  private undescribedBody(
    { headers, body }: GivenAnswer,
    { content }: Described,
    place: string[],
  ): string | undefined {
    if (body === '') return content ? 'the body is missing' : undefined;
    const type = String(headers['content-type']).split(';')[0]!;
    if (!content?.[type]) return `no ${type} is described`;
    if (!/[/+]json$/.test(type)) return undefined;
    return faultOf(this.bodies, JSON.parse(body), [...place, 'content', type, 'schema']);
  }

  private undescribedHeaders({ headers }: GivenAnswer, response: Described): string | undefined {
    const described = new Map(Object.keys(response.headers ?? {}).map((name) => [name.toLowerCase(), name]));
    for (const [header, value] of Object.entries(headers)) {
      if (GENERAL.test(header)) continue;
      const name = described.get(header);
      if (name === undefined) return `the header ${header} is not described`;
      if (!(name in this.document.components.headers)) continue;
      const fault = faultOf(this.headers, value, ['components', 'headers', name, 'schema']);
      if (fault !== undefined) return `${header}: ${fault}`;
    }
    return undefined;
  }
}

function faultOf(ajv: Ajv2020, value: unknown, place: string[]): string | undefined {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = ajv.getSchema(`api#/${pointer.join('/')}`)!;
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'answer' });
}

/** True if the path is malformed or leads nowhere, so that the answer belongs to no operation. */
function isOfNoRoute({ status, body }: GivenAnswer): boolean {
  return status === 404 && body.includes('"route.not_found"');
}

/** Returns the same document with objects that allow no fields beyond those that it names. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(
    ([key, part]) => [key, key === 'allOf' ? part : closed(part)] as const,
  );
  const schema = Object.fromEntries(parts);
  const isObject = 'allOf' in schema || (schema.type === 'object' && 'properties' in schema);
  return isObject ? { unevaluatedProperties: false, ...schema } : schema;
}
