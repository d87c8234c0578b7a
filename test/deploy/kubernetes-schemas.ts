import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import { gatewayModels, type KubernetesObject } from './kubernetes';
import { root } from './programs';

interface Model {
  validate(): void;
}

const GATEWAY_API = 'gateway.networking.k8s.io/';
const isOfGateway = ({ apiVersion }: KubernetesObject) => String(apiVersion).startsWith(GATEWAY_API);

/** The models of the Gateway API are ES modules, which Jest does not load. */
const VALIDATE_ROUTE = `
  const [file, kind, object] = process.argv.slice(1);
  const models = await import(file);
  try { new models[kind](JSON.parse(object)).validate(); } catch (error) { console.log(error.message); }`;

export function schemaFaults(object: KubernetesObject): string[] {
  return isOfGateway(object) ? gatewayFaults(object) : ownFaults(object);
}

function gatewayFaults(object: KubernetesObject): string[] {
  const args = [`${moduleOf(object)}/index.js`, object.kind, JSON.stringify(object)];
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', VALIDATE_ROUTE, ...args], {
    encoding: 'utf8',
  });
  return said === '' ? [] : [`${nameOf(object)}: ${said}`];
}

function ownFaults(object: KubernetesObject): string[] {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const models = require(moduleOf(object)) as Record<string, new (data: object) => Model>;
  try {
    new models[object.kind]!(object).validate();
    return [];
  } catch (error) {
    return [`${nameOf(object)}: ${(error as Error).message}`];
  }
}

/**
 * Fields that the published types lack. Schemas accept unknown fields, and the API server drops
 * them; the compiler does neither.
 */
export function unknownFields(objects: readonly KubernetesObject[]): string[] {
  const file = join(root, 'test', 'deploy', 'rendered.ts');
  const text = objects.map(declarationOf).join('\n');
  const host = ts.createCompilerHost({});
  const disk = { ...host };
  host.fileExists = (name) => name === file || disk.fileExists(name);
  host.getSourceFile = (name, options) =>
    name === file ? ts.createSourceFile(name, text, options) : disk.getSourceFile(name, options);
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], module: ts.ModuleKind.Node20 };
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => complaintOf(diagnostic, objects));
}

/** One line for each object, so that the line of a complaint names the object. */
function declarationOf(object: KubernetesObject, index: number): string {
  const type = `import(${JSON.stringify(`${moduleOf(object)}/${object.kind}`)}).I${object.kind}`;
  return `export const object${index}: ${type} = ${JSON.stringify(object)};`;
}

function complaintOf({ file, start = 0, messageText }: ts.Diagnostic, objects: readonly KubernetesObject[]) {
  const message = ts.flattenDiagnosticMessageText(messageText, ' ');
  const object = file && objects[file.getLineAndCharacterOfPosition(start).line];
  return object ? `${nameOf(object)}: ${message}` : message;
}

const moduleOf = (object: KubernetesObject): string =>
  isOfGateway(object)
    ? join(gatewayModels(), object.apiVersion as string)
    : `kubernetes-models/${object.apiVersion as string}`;
const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name as string}`;
