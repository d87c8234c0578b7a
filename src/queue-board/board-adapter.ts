import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  BullBoardRequest,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Bull Board sets styles by scripts and in its HTML. Its inline script is data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The console's colours for Bull Board, light and dark, and its letters: no capitals. The way back to the
 * console is in the bar above, left of the icons. Nobody there needs the releases of its package.
 */
const LOOKS = `<style>
:root{--font-sans:system-ui,'PingFang SC','Microsoft YaHei',sans-serif;--font-mono:ui-monospace,Menlo,monospace;--background:#f8f5f0;--foreground:#231815;--primary:#a3111b;--primary-foreground:#fff;--secondary:#f1e9e2;--secondary-foreground:#5d4d47;--muted:#f1e9e2;--muted-foreground:#5d4d47;--accent:#fbe9e6;--accent-foreground:#231815;--border:#e2d8cf;--input:#94857b;--sidebar:#fff;--sidebar-foreground:#5d4d47;--sidebar-accent:#fbe9e6;--sidebar-border:#e2d8cf}
.dark-mode{--background:#181312;--foreground:#f6ece6;--card:#241c1a;--popover:#241c1a;--primary:#ffb3a8;--primary-foreground:#3b0508;--secondary:#332825;--secondary-foreground:#c9b8af;--muted:#332825;--muted-foreground:#c9b8af;--accent:#452a26;--accent-foreground:#f6ece6;--border:#42352f;--input:#7d6a61;--sidebar:#241c1a;--sidebar-foreground:#c9b8af;--sidebar-accent:#452a26;--sidebar-border:#42352f}
a[class^='appVersion']{display:none}
#root [class^='logo']{color:var(--foreground)}
#root ul[class^='statusTabs']{padding:0}
#root ul[class^='statusTabs']>li>a,#root ul[class^='statusTabs']>li>a:hover{background:none;margin:0 1.25rem 0 0;padding-inline:0}
#root ul[class^='statusTabs']>li>a[class*='isActive']{color:var(--primary);font-weight:600}
#root *{letter-spacing:normal;text-transform:none!important}
#root span:is([data-text],[class^='secondary']){display:inline-block;text-transform:lowercase!important}
#root span[data-text]::before{content:none}
#root span:is([data-text],[class^='secondary'])::first-letter{text-transform:uppercase}
.to-console{color:var(--foreground);font:500 0.9375rem/1 var(--font-sans);padding:0.75rem 0.5rem;position:fixed;right:12rem;text-decoration:none;top:0.8125rem;z-index:100}
.to-console:hover{text-decoration:underline}
@media (max-width:768px){.to-console{padding-block:0.6875rem;right:6rem;top:0.1875rem}}
@media (max-width:23rem){.to-console span{display:none}}
</style></head>`;

/** Links to fonts on another host. */
const FOREIGN_LINKS = /<link href="https:[^>]*>/g;

/**
 * Serves Bull Board, read-only. Its own adapter needs two more packages to fill in one page, which
 * would load fonts from another host.
 */
export class BoardAdapter implements IServerAdapter {
  private queues!: BullBoardQueues;
  private views = '';
  private statics = '';
  private entry!: AppViewRoute;
  private api: readonly AppControllerRoute[] = [];
  private uiConfig: UIConfig = {};
  private explain!: (error: Error) => ControllerHandlerReturnType;

  /**
   * @param basePath what a proxy serves the path below
   * @param guard refuses callers who may not read the board
   */
  constructor(
    private readonly path: string,
    private readonly basePath: string,
    private readonly guard: (request: FastifyRequest) => Promise<void>,
  ) {}

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }

  setViewsPath(directory: string): this {
    this.views = directory;
    return this;
  }

  setStaticPath(_route: string, directory: string): this {
    this.statics = directory;
    return this;
  }

  setEntryRoute(route: AppViewRoute): this {
    this.entry = route;
    return this;
  }

  setErrorHandler(explain: (error: Error) => ControllerHandlerReturnType): this {
    this.explain = explain;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.api = routes;
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.uiConfig = config;
    return this;
  }

  /**
   * Gives each route its own guard: hooks that are added later would not apply in a plugin, and the
   * board would be served on the clients' port too.
   * @param before runs before each page
   */
  serve(fastify: FastifyInstance, before: () => void): void {
    for (const route of [this.entry.route].flat())
      fastify.get(this.at(route), this.guarded, (_request, reply) => {
        before();
        return this.page(reply);
      });
    void fastify.register(fastifyStatic, {
      root: this.statics,
      serve: false,
      index: false,
      cacheControl: false,
    });
    fastify.get<{ Params: { '*': string } }>(this.at('/static/*'), this.guarded, ({ params }, reply) =>
      reply.sendFile(params['*']),
    );
    const reads = this.api.filter(({ method }) => [method].flat().includes('get'));
    for (const route of reads) this.serveData(fastify, route);
  }

  private serveData(fastify: FastifyInstance, route: AppControllerRoute): void {
    const { queues, uiConfig } = this;
    for (const path of [route.route].flat())
      fastify.get(this.at(path), this.guarded, async (request, reply) => {
        const { params, query, headers } = request as Pick<BullBoardRequest, 'params' | 'query' | 'headers'>;
        const asked = { queues, uiConfig, params, query, headers, body: {} };
        const answer = await Promise.resolve(route.handler(asked)).catch((error: Error) =>
          this.explain(error),
        );
        return reply.code(answer.status ?? 200).send(answer.body);
      });
  }

  private get guarded() {
    return { onRequest: this.guard };
  }

  private page(reply: FastifyReply): FastifyReply {
    const { name, params } = this.entry.handler({
      basePath: `${this.basePath}${this.path}/`,
      uiConfig: this.uiConfig,
    });
    const filled = readFileSync(join(this.views, name), 'utf8')
      .replace(FOREIGN_LINKS, '')
      .replace('</head>', LOOKS)
      .replace('<div id="root">', (root) => this.wayBack + root)
      .replace(/<%[-=] (\w+) %>/g, (_, word: string) => String(params[word]));
    return reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
      .send(filled);
  }

  private get wayBack(): string {
    return `<a class="to-console" href="${this.basePath}/console" aria-label="Console">← <span>Console</span></a>`;
  }

  private at(route: string): string {
    return route === '/' ? this.path : this.path + route;
  }
}
