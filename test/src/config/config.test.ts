import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { readConfig } from '../../../src/config/config.ts'
import { ConfigError, settings } from '../../../src/config/environment.ts'
import { newKeys } from '../../helpers/config.ts'

const keys = newKeys()
const complete = { DATABASE_URL: 'postgres://user@127.0.0.1/switchyard', ...keys }

test('what is not set has its default, and the whole is frozen', (t) => {
  const config = readConfig(complete)
  t.is(config.http.port, 3000)
  t.is(readConfig({ ...complete, PORT: '' }).http.port, 3000, 'an empty variable is not set')
  t.is(config.budgets.steps, 25)
  t.throws(() => Object.assign(config.http, { port: 1 }), { instanceOf: TypeError })
})

test('a bad environment is refused with every problem at once, and without quoting secrets', (t) => {
  const env = { PORT: 'http', LOG_LEVEL: 'loud', VAULT_KEYS: 'name:dG9vIHNob3J0', BASE_URL: 'nowhere' }
  const { problems, message } = t.throws(() => readConfig(env), { instanceOf: ConfigError })
  for (const name of ['DATABASE_URL', 'PORT', 'LOG_LEVEL', 'VAULT_KEYS', 'JWT_PRIVATE_KEY', 'BASE_URL'])
    t.truthy(
      problems.find((problem) => problem.startsWith(name)),
      name,
    )
  t.false(message.includes('dG9vIHNob3J0'))
  const [pair] = keys.VAULT_KEYS.split(',')
  t.throws(() => readConfig({ ...complete, VAULT_KEYS: `${pair},${pair}` }), { message: /names must differ/ })
})

test('a value that is refused is never quoted, because it may be a secret in the wrong variable', (t) => {
  // Paths may be told.
  const names = Object.keys(settings.entries).filter((name) => !name.endsWith('_FILE'))
  const refused = names.flatMap((name) => {
    try {
      readConfig({ ...complete, [name]: 'sk canary:99999999' })
      return []
    } catch (error) {
      return [{ name, message: (error as Error).message }]
    }
  })
  t.true(refused.length > 50)
  for (const { name, message } of refused) {
    t.true(message.includes(name), message)
    t.false(message.includes('canary'), message)
  }
  t.throws(() => readConfig({ ...complete, PORT: '99999999' }), { message: /- PORT must be at most 65535$/ })
  t.throws(() => readConfig({ ...complete, LOG_LEVEL: 'loud' }), {
    message: /- LOG_LEVEL must be one of fatal, error, /,
  })
})

test('origins of web pages are exact, or any', (t) => {
  const origins = (CORS_ORIGINS: string) => readConfig({ ...complete, CORS_ORIGINS }).http.corsOrigins
  t.deepEqual(origins(''), [])
  t.deepEqual(origins('*'), ['*'])
  const listed = ['https://app.example.com', 'http://localhost:5173', 'https://[::1]:8443']
  t.deepEqual(origins(` ${listed.join(' , ')},`), listed)
  const wrong = [
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://APP.example.com',
  ]
  const strange = [
    'https://*.example.com',
    'https://user@app.example.com',
    'ftp://app.example.com',
    'null',
    `*,${listed[0]}`,
  ]
  for (const written of [...wrong, ...strange]) {
    const error = t.throws(() => origins(written), { instanceOf: ConfigError }, written)
    t.is(error?.problems.length, 1, written)
    t.regex(error?.problems[0] ?? '', /^CORS_ORIGINS must be \* alone, or origins such as /, written)
  }
})

test('a mail server needs an address to send from, and both must be what they claim to be', (t) => {
  const problems = (env: Record<string, string>): string[] =>
    t.throws(() => readConfig({ ...complete, ...env }), { instanceOf: ConfigError })?.problems ?? []
  t.deepEqual(problems({ SMTP_URL: 'smtp://127.0.0.1:25' }), ['MAIL_FROM is required if SMTP_URL is set'])
  t.is(problems({ SMTP_URL: 'smtp://127.0.0.1:25', PORT: 'x' }).length, 2)
  for (const SMTP_URL of ['mail.example.com', 'https://mail.example.com', 'smtp://'])
    t.regex(problems({ SMTP_URL, MAIL_FROM: 'a@example.com' }).join(), /^SMTP_URL /, SMTP_URL)
  for (const MAIL_FROM of ['nobody', 'a@example.com, b@example.com', 'A\r\nBcc: <a@example.com>'])
    t.regex(problems({ MAIL_FROM }).join(), /^MAIL_FROM /, MAIL_FROM)
  const good = { SMTP_URL: 'smtps://u:p@mail.example.com', MAIL_FROM: 'A B <a@example.com>' }
  const { mail } = readConfig({ ...complete, ...good })
  t.like(mail, { smtpUrl: 'smtps://u:p@mail.example.com', from: 'A B <a@example.com>' })
})

test('a duration may be a fraction of a second, down to a tenth, and is a number of seconds', (t) => {
  const { reconcile } = readConfig({ ...complete, RECONCILE_SECONDS: '0.25', STALL_SECONDS: '5' })
  t.deepEqual(reconcile, { everySeconds: 0.25, stallSeconds: 5 })
  for (const written of ['0', '0.05', '1e1', '-1', '1.', 'soon', '61']) {
    const error = t.throws(() => readConfig({ ...complete, RECONCILE_SECONDS: written }), { instanceOf: ConfigError })
    t.true(error?.problems[0]?.startsWith('RECONCILE_SECONDS'), written)
  }
})

/** Of each kind of setting another value than its default; the first that a setting takes is used. */
const others = [
  '7 17 70 0.5 true false memory off warn closed other ada@example.com',
  'https://other.example smtp://mail.example https://site.example=other http://127.0.0.1:12111',
  'examples/models.json examples/sign-in.json sk_test_another whsec_another always_off authorization=Bearer%20other',
].flatMap((line) => line.split(' '))

const provider = { OIDC_ISSUER: 'https://idp.example.com', OIDC_CLIENT_ID: 'us', OIDC_CLIENT_SECRET: 'secret' }

const stripe = { STRIPE_SECRET_KEY: 'sk_test_something', STRIPE_WEBHOOK_SECRET: 'whsec_something' }

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

/** Settings that mean nothing without another one. */
const beside: Record<string, Record<string, string>> = {
  SMTP_URL: { MAIL_FROM: 'no-reply@example.com' },
  OPENAI_MODEL: { OPENAI_API_KEY: 'key', REGISTRATION: 'invited' },
  OPENAI_API_KEY: { OPENAI_MODEL: 'model', OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' },
  OPENAI_BASE_URL: { OPENAI_MODEL: 'model', OPENAI_API_KEY: 'key', REGISTRATION: 'invited' },
  BILLING_SANDBOX_WITH_PAID_MODELS: { BILLING: 'sandbox', OPENAI_MODEL: 'model', OPENAI_API_KEY: 'key' },
  OIDC_PROVIDERS_FILE: { GOOGLE_CLIENT_SECRET: 'secret', STAFF_CLIENT_SECRET: 'secret' },
  STRIPE_SECRET_KEY: stripe,
  STRIPE_WEBHOOK_SECRET: stripe,
  STRIPE_API_URL: stripe,
  OTEL_EXPORTER_OTLP_HEADERS: collector,
  OTEL_TRACES_SAMPLER: collector,
  OTEL_TRACES_SAMPLER_ARG: { ...collector, OTEL_TRACES_SAMPLER: 'traceidratio' },
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: collector,
  OIDC_ISSUER: provider,
  OIDC_CLIENT_ID: provider,
  OIDC_CLIENT_SECRET: provider,
  OIDC_TITLE: provider,
}

/** Without them, the settings beside them are refused. */
const needed = new Set([
  'OPENAI_MODEL',
  'BILLING_SANDBOX_WITH_PAID_MODELS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  ...Object.keys(provider),
])

test('with Stripe, credits cost what Stripe can charge', (t) => {
  const asked = (cents: string) => readConfig({ ...complete, ...stripe, CREDITS_CENTS_PER_HUNDRED: cents })
  t.is(asked('50').centsPerHundredCredits, 50)
  t.is(asked('9999').centsPerHundredCredits, 9999)
  for (const cents of ['49', '10000'])
    t.throws(() => asked(cents), { message: /CREDITS_CENTS_PER_HUNDRED must be from 50/ })
})

for (const name of Object.keys(settings.entries) as (keyof typeof settings.entries)[]) {
  if (name in complete) continue
  test(`the setting ${name} is heeded`, (t) => {
    const { [name]: _, ...given }: Record<string, string> = { ...complete, ...beside[name] }
    const changed = others.flatMap((value) => {
      try {
        return [readConfig({ ...given, [name]: value })]
      } catch {
        return []
      }
    })
    t.true(changed.length > 0, 'add a value that it takes to the list')
    const without = needed.has(name) ? complete : given
    t.true(changed.some((config) => !isDeepStrictEqual(config, readConfig(without))))
  })
}
