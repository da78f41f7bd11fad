import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ownServerOptions } from '../helpers/servers.ts'
import { installation } from '../helpers/installation.ts'
import { folderWith } from '../src/config/files.ts'

test('a start is refused with the problems of all settings and of MODELS_FILE, before anything is there', async (t) => {
  const file = join(ownServerOptions().folder, 'wrong-models.json')
  writeFileSync(file, JSON.stringify({ providers: [{ name: 'a', kind: 'demo', models: [{ id: 'a', stream: 'no' }] }] }))
  const { start, data } = await installation({
    PORT: '99999999',
    SITE_PORTS: '1',
    MODELS_FILE: file,
    REGISTRATON: 'closed',
    QUEUE_DEPTH: 'deep',
  })
  const { lines, ended } = start()
  t.is(await ended, 1)
  t.deepEqual(lines, [
    'The configuration is invalid:',
    '  - SITE_PORTS must be four port numbers separated by commas',
    '  - PORT must be at most 65535',
    '  - REGISTRATON is not a setting. Did you mean REGISTRATION?',
    '  - QUEUE_DEPTH must be a whole number',
    '  - MODELS_FILE: providers.0.models.0.stream must be true or false',
  ])
  t.false(existsSync(data))
})

test('a bad entry of the catalogue is refused before anything is there, and its token is not printed', async (t) => {
  const folder = folderWith(t, { 'wiki.json': JSON.stringify({ name: 'Wiki', token: 'canary' }) })
  const { start, data } = await installation({ CATALOGUE_FOLDERS: folder })
  const { lines, ended } = start()
  t.is(await ended, 1)
  t.true(lines.includes(`  - ${join(folder, 'wiki.json')}: address is missing`), lines.join('\n'))
  t.false(lines.join('').includes('canary'))
  t.false(existsSync(data))
})

test('a password in the address of a model server is refused at start, and not printed', async (t) => {
  const { start } = await installation({ OPENAI_MODEL: 'llama', OPENAI_BASE_URL: 'http://user:canary@127.0.0.1/v1' })
  const { lines, ended } = start()
  t.is(await ended, 1)
  t.regex(lines.join('\n'), /OPENAI_BASE_URL must not contain a user name or password/)
  t.false(lines.join('').includes('canary'))
})

// @promise money-by-default
test('whoever would pay for strangers unawares does not start: the sandbox, and open registration, beside a paid model', async (t) => {
  const model = { OPENAI_MODEL: 'gpt', OPENAI_API_KEY: 'sk-of-the-operator' }
  const sentences = {
    'LIMIT_TOKENS_PER_MONTH is required because a model costs money, BILLING is off, and REGISTRATION is open': model,
    'BILLING is sandbox, but a model costs money': { ...model, BILLING: 'sandbox' },
    'BILLING=stripe requires STRIPE_SECRET_KEY': { BILLING: 'stripe' },
  }
  for (const [sentence, settings] of Object.entries(sentences)) {
    const { start, data } = await installation(settings)
    const { lines, ended } = start()
    t.is(await ended, 1)
    t.is(lines.length, 2)
    t.true(lines[1]?.startsWith(`  - ${sentence}`), lines.join('\n'))
    t.false(existsSync(data))
  }
})
