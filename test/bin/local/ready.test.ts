import test from 'ava'
import { readyInWords } from '../../../bin/local/ready.ts'
import { readModels } from '../../../src/config/read-models.ts'

const addresses = {
  console: 'https://switchyard.example.com/console',
  api: 'http://127.0.0.1:3000',
  docs: 'http://127.0.0.1:3000/docs',
  temporal: '127.0.0.1:7233',
  temporalUi: 'http://127.0.0.1:8233',
  sites: [4401, 4402, 4403, 4404].map((port) => `https://127.0.0.1:${port}`),
  deadSite: 'https://127.0.0.1:4409',
  siteCaFile: '.data/certificates/ca.pem',
  siteCertificate: { certFile: '.data/certificates/localhost.pem', keyFile: '.data/certificates/localhost-key.pem' },
}

const linesFor = (environment: Record<string, string>, adminLink?: string): string[] =>
  readyInWords(addresses, {
    adminLink,
    models: readModels(environment),
    billing: 'sandbox',
    environment,
    folder: '.data',
    milliseconds: 1234,
  }).split('\n')

test('a start that is ready says where everything is, and which model answers', (t) => {
  const lines = linesFor({ OPENAI_MODEL: 'llama', OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' })
  t.true(lines.includes('Switchyard is ready (1.2 s).'))
  t.true(lines.includes('  API            http://127.0.0.1:3000'))
  t.true(lines.includes('  Example sites  issue tracker     https://127.0.0.1:4401'))
  t.true(lines.includes('                 contacts (OAuth)  https://127.0.0.1:4404'))
  t.true(lines.includes('  Model          llama (http://127.0.0.1:11434/v1), and 1 more'))
  t.true(
    lines.includes('  Local admin    admin@switchyard.localhost, for programs; first password in .data/admin.json'),
  )
  t.is(lines.at(-1), 'Ctrl-C stops everything.')
})

test('a start says that a key without a model is not used, and does not print the key', (t) => {
  const told = 'OPENAI_API_KEY is set, but OPENAI_MODEL is not, so the key is not used.'
  const lines = linesFor({ OPENAI_API_KEY: 'sk-canary' })
  t.true(lines.includes(told))
  t.true(lines.some((line) => line.startsWith('  Model          demo (')))
  t.false(lines.join().includes('canary'))
  t.false(linesFor({}).includes(told))
  t.false(linesFor({ OPENAI_API_KEY: 'sk-canary', OPENAI_MODEL: 'gpt-5-mini' }).includes(told))
})

test('a start says first where the console is, and then how to become its admin as long as nobody is', (t) => {
  const link = 'https://switchyard.example.com/console/first#sy_admin_an-example'
  const rows = (adminLink?: string) => linesFor({}, adminLink).slice(3, 7)
  const console = '  Console        https://switchyard.example.com/console'
  const api = '  API            http://127.0.0.1:3000'
  t.deepEqual(rows(link), [
    console,
    `  First visit    ${link}`,
    '                 The link creates your own admin account. It works once, within an hour.',
    api,
  ])
  t.deepEqual(rows().slice(0, 2), [console, api])
})
