import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import { gatewayModels, type KubernetesObject } from './kubernetes';
import { root } from './programs';

const GATEWAY_API = 'gateway.networking.k8s.io/';
const isOfGateway = ({ apiVersion }: KubernetesObject) => String(apiVersion).startsWith(GATEWAY_API);

/** The models are ES modules, which Jest does not load. */
const VALIDATE = `
  for (const [file, name, object] of JSON.parse(process.argv[1])) {
    const models = await import(file);
    try { new models[object.kind](object).validate(); } catch (error) { console.log(name + ': ' + error.message); }
  }`;

export function schemaFaults(objects: readonly KubernetesObject[]): string[] {
  const asked = objects.map((object) => [
    isOfGateway(object) ? `${moduleOf(object)}/index.js` : moduleOf(object),
    ...[nameOf(object), object],
  ]);
  const args = ['--input-type=module', '--eval', VALIDATE, JSON.stringify(asked)];
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
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
