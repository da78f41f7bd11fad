import test, { type ExecutionContext } from 'ava'
import { readOidc } from '../../../src/config/read-oidc.ts'
import { fileWith, problemsIn } from './files.ts'

const problemsOf = (t: ExecutionContext, env: Record<string, string>): string[] => problemsIn(t, () => readOidc(env))

const single = { OIDC_ISSUER: 'https://idp.example.com/realm', OIDC_CLIENT_ID: 'us', OIDC_CLIENT_SECRET: 'canary' }
const google = {
  name: 'google',
  title: 'Google',
  issuer: 'https://accounts.google.com',
  clientId: 'us',
  clientSecretEnv: 'GOOGLE_SECRET',
}

test('nobody else signs people in unless a provider is configured', (t) => {
  t.deepEqual(readOidc({}), { providers: [] })
})

test('one provider is named by variables, and several by a file whose secrets are in variables', (t) => {
  const { OIDC_ISSUER: issuer } = single
  t.deepEqual(readOidc(single).providers, [
    { name: 'oidc', title: 'idp.example.com', issuer, clientId: 'us', clientSecret: 'canary' },
  ])
  t.is(readOidc({ ...single, OIDC_TITLE: 'Our company' }).providers[0]?.title, 'Our company')
  const { title: _, ...untitled } = google
  const file = fileWith(t, { providers: [google, { ...untitled, name: 'other', issuer }] })
  const read = readOidc({ OIDC_PROVIDERS_FILE: file, GOOGLE_SECRET: 'canary' }).providers
  t.deepEqual(
    read.map(({ name, title, clientSecret }) => [name, title, clientSecret]),
    [
      ['google', 'Google', 'canary'],
      ['other', 'idp.example.com', 'canary'],
    ],
  )
})

test('all that is wrong with the providers is said at once, and no value is quoted', (t) => {
  const { OIDC_ISSUER, ...rest } = single
  t.deepEqual(problemsOf(t, { OIDC_ISSUER }), [
    'OIDC_CLIENT_ID is required if OIDC_ISSUER is set',
    'OIDC_CLIENT_SECRET is required if OIDC_ISSUER is set',
  ])
  t.deepEqual(problemsOf(t, { ...rest, OIDC_ISSUER: 'http://idp.example.com' }).length, 1)
  t.deepEqual(problemsOf(t, { ...single, OIDC_PROVIDERS_FILE: 'canary' }).length, 3)
  const problems = problemsOf(t, {
    OIDC_PROVIDERS_FILE: fileWith(t, {
      providers: [
        google,
        { ...google, issuer: 'https://ACCOUNTS.google.com/' },
        { ...google, name: 'Canary', issuer: 'javascript:canary', clientSecret: 'canary' },
      ],
    }),
  })
  t.is(problems.length, 8)
  t.true(problems.some((one) => /providers\.2 .*clientSecretEnv.* is not set/.test(one)))
  for (const expected of [/two providers are named google/, /the same issuer/, /clientSecretEnv.* is not set/])
    t.true(problems.some((one) => expected.test(one)))
  t.notRegex(problems.join('\n'), /canary/i)
  t.regex(
    problemsOf(t, { OIDC_PROVIDERS_FILE: fileWith(t, '{"canary": ') })[0] ?? '',
    /which is not valid JSON \(line 1/,
  )
  t.regex(problemsOf(t, { OIDC_PROVIDERS_FILE: '/nowhere/at/all' })[0] ?? '', /cannot be read \(ENOENT\)/)
})

test('an issuer is an https address without a query, a fragment or a user', (t) => {
  const refused = ['idp.example.com', 'https://idp.example.com/?', 'https://a@idp.example.com', 'https://x/#', 'data:,']
  for (const OIDC_ISSUER of refused) t.is(problemsOf(t, { ...single, OIDC_ISSUER }).length, 1, OIDC_ISSUER)
})
