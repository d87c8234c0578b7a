// An OpenID provider with a client for each way in which real providers issue tokens for an API.
// It prints its address. Visitors may sign in under any name, and are operators;
// tokens of the user "brief" expire soon.
import { once } from 'node:events';
import http from 'node:http';
import Provider from 'oidc-provider';

const API = 'https://rain.example';
const BRIEF_SECONDS = 15;

/**
 * The resource for which a client receives a token that the API can read. Without a resource, the token is
 * opaque.
 */
const MANNERS = {
  auth0: { resourceOf: ({ audience }) => audience, claims: { [`${API}/roles`]: ['operator'] } },
  entra: {
    resourceOf: ({ scope }) => /(\S+)\/\.default/.exec(scope)?.[1],
    claims: { roles: ['Rain.Operator', 'Stock.Reader'] },
    renews: true,
  },
  keycloak: {
    resourceOf: () => API,
    claims: { realm_access: { roles: ['offline_access', 'operator'] } },
    renews: true,
  },
};

const server = http.createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

const isConsole = (uri) => /^http:\/\/127\.0\.0\.1:\d+\/console$/.test(uri);

const provider = new Provider(issuer, {
  clients: Object.keys(MANNERS).map((client_id) => ({
    client_id,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: ['https://console.example/console'],
  })),
  clientBasedCORS: () => true,
  extraParams: ['audience'],
  issueRefreshToken: (_, { clientId }) => MANNERS[clientId].renews === true,
  rotateRefreshToken: true,
  ttl: { AccessToken: (_, { accountId }) => (accountId === 'brief' ? BRIEF_SECONDS : 600) },
  extraTokenClaims: (_, { clientId }) => MANNERS[clientId].claims,
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      accountId: oidc.session.accountId,
      clientId: oidc.client.clientId,
    });
    grant.addOIDCScope('openid offline_access');
    grant.addResourceScope(API, `${API}/.default`);
    await grant.save();
    return grant;
  },
  features: {
    resourceIndicators: {
      enabled: true,
      defaultResource: ({ oidc }, { clientId }) => MANNERS[clientId].resourceOf(oidc.params),
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ audience: API, scope: `${API}/.default`, accessTokenFormat: 'jwt' }),
    },
  },
});
// The consoles of the test have ports that are free when they start.
provider.Client.prototype.redirectUriAllowed = isConsole;
provider.Client.prototype.postLogoutRedirectUriAllowed = isConsole;
server.on('request', provider.callback());
console.log(issuer);
