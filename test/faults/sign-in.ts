import type { Fault } from './fault.ts'

/** Logins in cookies, and the second factor. */
export const signIn: Fault[] = [
  {
    id: 'sign-in/cookie-without-csrf-token',
    file: 'api/route/authenticate.ts',
    find: "if (isCookie && route.method !== 'get') requireCsrfToken",
    replace: "if (isCookie && route.method === 'delete') requireCsrfToken",
    why: 'a form on any page acts for whoever opens it',
    tests: ['test/api/login-cookies.test.ts'],
  },
  {
    id: 'sign-in/csrf-token-of-anybody',
    file: 'src/users/csrf.ts',
    find: "isEqual(derivedToken('csrf', secret, loginId), sent)",
    replace: "derivedToken('csrf', secret, loginId) !== undefined",
    why: 'the token of one login is good for every other one',
    tests: ['test/api/login-cookies.test.ts'],
  },
  {
    id: 'sign-in/sibling-subdomains',
    file: 'api/route/own-page.ts',
    find: "return site === 'same-origin'",
    replace: "return site !== 'cross-site'",
    why: 'pages of sibling subdomains refresh and log in by cookie',
    tests: ['test/api/login-cookies.test.ts'],
  },
  {
    id: 'sign-in/cookie-beside-a-token',
    file: 'api/route/authenticate.ts',
    find: 'if (ctx.headers.authorization !== undefined)',
    replace: 'if (ctx.headers.authorization)',
    why: 'a request that says who it is for counts as that of the cookie',
    tests: ['test/api/login-cookies.test.ts'],
  },
  {
    id: 'sign-in/streams-of-cookies-are-one',
    file: 'api/route/mount.ts',
    find: 'const key = `${tokenOf(ctx)} ${ctx.path}`',
    replace: "const key = `${ctx.get('authorization')} ${ctx.path}`",
    why: 'one check admits, or ends, the streams of everybody who reads by cookie',
    tests: ['test/api/login-cookies.test.ts'],
  },
]
