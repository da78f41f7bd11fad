import test from 'ava'
import { ConfigError } from '../../../src/config/environment.ts'
import { refuseUnknown } from '../../../src/config/unknown-settings.ts'

const problemsOf = (env: Record<string, string>): string[] => {
  try {
    refuseUnknown(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

const meant: Record<string, string> = {
  REGISTRATON: 'REGISTRATION',
  REGSITRATION: 'REGISTRATION',
  BASEURL: 'BASE_URL',
  database_url: 'DATABASE_URL',
  MAIL_FORM: 'MAIL_FROM',
  SMTP_URI: 'SMTP_URL',
  OPENAI_API_KEY_FLIE: 'OPENAI_API_KEY_FILE',
}

test('a variable that is spelled like a setting is refused with the setting that is meant, and no value is quoted', (t) => {
  for (const [name, setting] of Object.entries(meant))
    t.deepEqual(problemsOf({ [name]: 'canary' }), [`${name} is not a setting. Did you mean ${setting}?`])
  t.regex(
    problemsOf({ RATE_LIMIT_PER_SECOND: '1' }).join(),
    /^RATE_LIMIT_PER_SECOND is not a setting\. Settings with this prefix: /,
  )
})

test('variables of other programs are left alone', (t) => {
  const foreign = 'PATH HOME HOSTNAME PORTS HOSTS DATABASE_PORT DATABASE_HOST SMTP_HOST STRIPE_API_KEY NODE_ENV PGHOST'
  t.deepEqual(problemsOf(Object.fromEntries(foreign.split(' ').map((name) => [name, 'x']))), [])
  t.deepEqual(problemsOf({ DATABASE_URL: 'x', DATABASE_URI: 'x', SITE_PORT: 'tcp://10.0.0.1:80' }), [])
})
