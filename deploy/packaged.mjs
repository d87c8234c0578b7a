// Settings of esbuild with which installed packages become a part of one file.

/** Packages that ours can use and that are not installed: a request for one fails at run time. */
const NOT_INSTALLED = [
  '@fastify/multipart',
  '@fastify/view',
  '@mikro-orm/core',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/mongoose',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  'pg-native',
];

export const packaged = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22.15',
  // Nest, TypeORM and our metrics use the names of classes.
  keepNames: true,
  banner: { js: `const __moduleUrl = require('node:url').pathToFileURL(__filename).href;` },
  define: { 'import.meta.url': '__moduleUrl' },
  alias: { 'class-transformer/storage': 'class-transformer/cjs/storage' },
  external: [...NOT_INSTALLED, 'swagger-ui-dist/*', '@bull-board/ui/*', '*.node'],
  logLevel: 'warning',
};

/** A module with its own `require` would load `typeorm` a second time, from its package. */
export const theirs = (text) => text.replace(/^const require = createRequire\(import\.meta\.url\);$/m, '');
