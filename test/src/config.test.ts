import test from 'ava'
import { ConfigError, readConfig } from '../../src/config.ts'
import { testKeys } from '../helpers/platform.ts'

const complete = { DATABASE_URL: 'postgres://user@127.0.0.1/switchyard', ...testKeys }

test('what is not set has its default, and the whole is frozen', (t) => {
  const config = readConfig(complete)
  t.is(config.http.port, 3000)
  t.is(config.budgets.steps, 25)
  t.throws(() => Object.assign(config.http, { port: 1 }), { instanceOf: TypeError })
})

test('a bad environment is refused with every problem at once, and without quoting secrets', (t) => {
  const error = t.throws(
    () => readConfig({ PORT: 'http', LOG_LEVEL: 'loud', VAULT_KEYS: 'name:dG9vIHNob3J0', BASE_URL: 'nowhere' }),
    { instanceOf: ConfigError },
  )
  const names = ['DATABASE_URL', 'PORT', 'LOG_LEVEL', 'VAULT_KEYS', 'JWT_PRIVATE_KEY', 'BASE_URL']
  for (const name of names)
    t.true(
      error?.problems.some((problem) => problem.startsWith(name)),
      name,
    )
  t.false(error?.message.includes('dG9vIHNob3J0'))
})

test('an empty variable counts as not set', (t) => {
  t.is(readConfig({ ...complete, PORT: '' }).http.port, 3000)
})

test('two vault keys of one name are refused', (t) => {
  const [pair] = testKeys.VAULT_KEYS.split(',')
  t.throws(() => readConfig({ ...complete, VAULT_KEYS: `${pair},${pair}` }), { message: /names must differ/ })
})
