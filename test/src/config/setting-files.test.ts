import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readDatabaseConfig, readVaultConfig } from '../../../src/config/command-config.ts'
import { readConfig } from '../../../src/config/config.ts'
import { readLocalConfig } from '../../../src/config/local-config.ts'
import { newKeys } from '../../helpers/config.ts'
import { folderWith, problemsIn } from './files.ts'

const problemsOf = (t: ExecutionContext, env: Record<string, string>): string[] => problemsIn(t, () => readConfig(env))

test('every setting may be in a file, with a line break at its end', (t) => {
  const values: Record<string, string> & { DATABASE_URL: string } = {
    DATABASE_URL: 'postgres://user:secret@127.0.0.1/switchyard',
    TEMPORAL_API_KEY: 'a-key',
    SMTP_URL: 'smtp://user:password@mail.example.com',
    OPENAI_API_KEY: 'sk-secret',
    OIDC_CLIENT_SECRET: 'a-client-secret',
    STRIPE_SECRET_KEY: 'sk_test_something',
    STRIPE_WEBHOOK_SECRET: 'whsec_something',
    REGISTRATION: 'invited',
    PORT: '3999',
    ...newKeys(),
  }
  const names = Object.keys(values)
  const folder = folderWith(t, Object.fromEntries(names.map((name) => [name, `${values[name]}\n`])))
  const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, name)]))
  const more = {
    MAIL_FROM: 'no-reply@example.com',
    OPENAI_MODEL: 'gpt-5-mini',
    OIDC_ISSUER: 'https://idp.example.com',
    OIDC_CLIENT_ID: 'us',
  }
  t.deepEqual(readConfig({ ...files, ...more }), readConfig({ ...values, ...more }))
  t.is(readConfig({ ...files, ...more }).models.providers[0]?.apiKey, 'sk-secret')
  t.is(readDatabaseConfig(files).database.url, values.DATABASE_URL)
  const others = { VAULT_KEYS_FILE: join(folder, 'none'), JWT_PRIVATE_KEY_FILE: join(folder, 'none') }
  t.is(readDatabaseConfig({ ...files, ...others }).database.url, values.DATABASE_URL, 'it needs no keys')
  t.is(readVaultConfig(files).vaultKeys.length, 1)
})

test('a signing key in a file is as openssl prints it, on several lines', (t) => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  t.true(pem.trim().split('\n').length > 1)
  const { VAULT_KEYS } = newKeys()
  const env = { DATABASE_URL: 'postgres://127.0.0.1/none', VAULT_KEYS }
  const folder = folderWith(t, { key: pem, two: `${pem}${pem}` })
  t.deepEqual(readConfig({ ...env, JWT_PRIVATE_KEY_FILE: join(folder, 'key') }).auth.privateKeys, [pem.trim()])
  t.is(readConfig({ ...env, JWT_PRIVATE_KEY_FILE: join(folder, 'two') }).auth.privateKeys.length, 2)
})

test('a file that is missing, empty, or beside its setting is named, once, and nothing is quoted', (t) => {
  const keys = newKeys()
  const folder = folderWith(t, { empty: '\n', keys: 'canary' })
  const MAIL_FROM = 'no-reply@example.com'
  const files = { DATABASE_URL_FILE: join(folder, 'none'), SMTP_URL_FILE: join(folder, 'empty') }
  const env = { ...keys, ...files, MAIL_FROM }
  t.deepEqual(problemsOf(t, env), [
    `DATABASE_URL_FILE names ${join(folder, 'none')}, which cannot be read (ENOENT)`,
    `SMTP_URL_FILE names ${join(folder, 'empty')}, which is empty`,
  ])
  const both = { ...keys, DATABASE_URL: 'postgres://127.0.0.1/none', VAULT_KEYS_FILE: join(folder, 'keys') }
  t.deepEqual(problemsOf(t, both), ['VAULT_KEYS_FILE and VAULT_KEYS are both set. Set only one of them'])
  const { VAULT_KEYS: _, ...rest } = both
  const wrong = problemsOf(t, rest)
  t.is(wrong.length, 1)
  t.notRegex(wrong.join(), /canary/)
})

test('npm start passes the contents of files on to its programs, and not their names', (t) => {
  const folder = folderWith(t, { keys: 'k1:abc' })
  const { environment } = readLocalConfig({ VAULT_KEYS_FILE: join(folder, 'keys'), OTHER_FILE: 'stays' })
  t.deepEqual(environment, { VAULT_KEYS: 'k1:abc', OTHER_FILE: 'stays' })
})
