// @promise start
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readConfig } from '../../src/config/config.ts'
import { readLocalConfig, settingNames } from '../../src/config/local-config.ts'
import { settingGroups } from '../../src/config/setting-groups.ts'

const root = join(import.meta.dirname, '../..')
const lines = readFileSync(join(root, '.env.example'), 'utf8').split('\n')
const settings = lines.flatMap((line, index) => {
  const [, name, value] = /^# ([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? []
  return name === undefined ? [] : [{ name, value: value ?? '', above: lines[index - 1] ?? '' }]
})

test('.env.example lists every setting once, each under a line that explains it', (t) => {
  t.deepEqual(settings.map(({ name }) => name).toSorted(), [...settingNames].toSorted())
  for (const { name, above } of settings) t.regex(above, /^# .*[a-z\d)}>]/i, name)
})

test('the meaning of every setting is a sentence', (t) => {
  const meanings = settingGroups.flatMap(({ settings }) => Object.entries(settings))
  for (const [name, meaning] of meanings) t.regex(meaning, /^[A-Z][^]*[.\w}'"`]$/, name)
})

test('the values in .env.example are the defaults', (t) => {
  const required = {
    DATABASE_URL: 'postgres://127.0.0.1/switchyard',
    VAULT_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    JWT_PRIVATE_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  const shown = Object.fromEntries(settings.filter(({ value }) => value).map(({ name, value }) => [name, value]))
  t.deepEqual(readConfig({ ...shown, ...required }), readConfig(required))
  const { environment: _given, TEMPORAL_ADDRESS: _address, ...local } = readLocalConfig(shown)
  const { environment: _none, TEMPORAL_ADDRESS: _unset, ...defaults } = readLocalConfig({})
  t.deepEqual(local, defaults)
})
