import { parseRoleNames, roleIn } from './index';

const AUTH0 = { claim: 'https://shop.example/roles' };
const ENTRA = { claim: 'roles', names: { 'Rain.Operator': 'operator', 'Rain.Finance': 'finance' } } as const;
const KEYCLOAK = { claim: 'realm_access.roles' };
const ZITADEL = { claim: 'urn:zitadel:iam:org:project:roles' };
const COGNITO = { claim: 'cognito:groups' };
const OURS = { claim: 'role' };

describe('the role in a token', () => {
  it.each([
    ['our own', { role: 'finance' }, OURS, 'finance'],
    ['our own in a list', { role: ['operator'] }, OURS, 'operator'],
    ['a claim with dots', { 'https://shop.example/roles': ['support'] }, AUTH0, 'support'],
    ['a path', { realm_access: { roles: ['offline_access', 'campaign'] } }, KEYCLOAK, 'campaign'],
    ['another name', { roles: ['Rain.Operator'] }, ENTRA, 'operator'],
    [
      'the keys of an object',
      { [ZITADEL.claim]: { finance: { '1834': 'shop.example' } } },
      ZITADEL,
      'finance',
    ],
    [
      'the names of listed objects',
      { roles: [{ owner: 'shop', name: 'support' }] },
      { claim: 'roles' },
      'support',
    ],
    ['a claim with a colon', { 'cognito:groups': ['eu-central-1_Google', 'operator'] }, COGNITO, 'operator'],
    ['the role that includes the others', { role: ['user', 'support', 'finance'] }, OURS, 'finance'],
    ['the operator among all', { role: ['campaign', 'operator', 'finance'] }, OURS, 'operator'],
  ])('is read from %s', (_, claims, naming, role) => {
    expect(roleIn(claims, naming)).toBe(role);
  });

  it.each([
    ['no claim', {}, OURS],
    ['nothing', { role: null }, OURS],
    ['names of other applications', { realm_access: { roles: ['offline_access'] } }, KEYCLOAK],
    ['our own name, where others are configured', { roles: ['operator'] }, ENTRA],
    ['objects of other applications', { role: [{ name: 'admin' }, { id: 'operator' }] }, OURS],
    ['an object whose values name our role', { role: { admin: 'operator' } }, OURS],
    ['the names of JavaScript', { role: ['constructor', '__proto__'] }, OURS],
    ['a path that ends early', { realm_access: 'roles' }, KEYCLOAK],
    ['a path into nothing', { realm_access: null }, KEYCLOAK],
    ['a path to the length of a text', { realm_access: 'roles' }, { claim: 'realm_access.length' }],
    ['a list with nothing in it', { role: [null, undefined] }, OURS],
    ['a path into a text', { realm_access: ['roles'] }, { claim: 'realm_access.length.roles' }],
  ])('is user for %s', (_, claims, naming) => {
    expect(roleIn(claims, naming)).toBe('user');
  });

  it.each([
    ['an unknown text', { role: 'admin' }, OURS],
    ['our own text, where others are configured', { roles: 'operator' }, ENTRA],
    ['a name that JavaScript knows', { roles: 'constructor' }, ENTRA],
    [
      'a number that is written like a name',
      { roles: 7 },
      { claim: 'roles', names: { '7': 'operator' } as const },
    ],
    ['an object', { role: {} }, OURS],
    ['two roles of which neither includes the other', { role: ['campaign', 'finance'] }, OURS],
    ['a server that is staff', { role: ['server', 'operator'] }, OURS],
  ])('is refused for %s', (_, claims, naming) => {
    expect(roleIn(claims, naming)).toBeUndefined();
  });
});

describe('names of roles in the configuration', () => {
  it('are pairs of our role and another name, which may have spaces', () => {
    expect(parseRoleNames('operator=Rain Operators, operator=Night, finance = F=1')).toEqual({
      'Rain Operators': 'operator',
      Night: 'operator',
      'F=1': 'finance',
    });
  });

  it('may have spaces around them, and one letter', () => {
    expect(parseRoleNames(' operator = A , finance = B ')).toEqual({ A: 'operator', B: 'finance' });
  });

  it.each([
    '',
    'operator',
    'operator=',
    'my operator=A',
    'operator=A\nB',
    'boss=Rain.Boss',
    'operator=A,finance=A',
    'operator=A,',
  ])('are not %j', (text) => {
    expect(parseRoleNames(text)).toBeUndefined();
  });
});
