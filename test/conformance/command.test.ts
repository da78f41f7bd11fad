import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { readArguments } from '../../conformance/arguments.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { ownServerOptions } from '../helpers/servers.ts'
import { eventually } from '../helpers/eventually.ts'
import { startFakePlatform } from './fake-platform.ts'

/** Starts the command, with a data folder where nothing is. */
function start(t: ExecutionContext, args: string[]) {
  const child = spawn(process.execPath, ['bin/conformance.ts', ...args], { env: { DATA_DIR: newFolder() } })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  return {
    child,
    ended: once(child, 'close').then(([code]) => code as number | null),
    output: () => output,
    untilSaid: (words: string) => eventually(60, `"${words}" is said`, () => output.includes(words) || undefined),
  }
}

async function run(t: ExecutionContext, ...args: string[]) {
  const { ended, output } = start(t, args)
  return { code: await ended, output: output() }
}

const newFolder = (): string => mkdtempSync(join(ownServerOptions().folder, 'conformance-'))

function fileOf(text: string): string {
  const file = join(newFolder(), 'facts.json')
  writeFileSync(file, text)
  return file
}

/** This row makes an account, and then asks for its agents. */
const row = ['--only', 'codes/INVALID_TOKEN']
const limited = { 'GET /agents': { status: 429, headers: { 'retry-after': '60' } } }

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`after ${signal} the command deletes what it has made, and ends with 130`, async (t) => {
    let isLimited = true
    const platform = await startFakePlatform(t, {
      'GET /agents': (_request, response) => {
        response.writeHead(isLimited ? 429 : 200, isLimited ? { 'retry-after': '60' } : {}).end('{"items":[]}')
        isLimited = false
      },
    })
    const { child, ended, output, untilSaid } = start(t, [platform.origin, ...row])
    await untilSaid('waiting 60 s')
    child.kill(signal)
    t.is(await ended, 130)
    t.is(platform.asked.at(-1), 'DELETE /auth/me')
    t.regex(output(), /Stopping: what was made is deleted.*Interrupted: 0 of 1 rows have a verdict\./s)
  })

test('a second Ctrl-C ends at once, and names the accounts that stay', async (t) => {
  const { origin } = await startFakePlatform(t, limited)
  const { child, ended, output, untilSaid } = start(t, [origin, ...row])
  await untilSaid('waiting 60 s')
  // Presses that follow within a second count as one.
  for (const isOver = ended.then(() => true); !(await Promise.race([isOver, delay(200, false)]));) child.kill('SIGINT')
  t.is(await ended, 130)
  t.regex(output(), /These accounts stay, with what is not deleted yet: conformance-[0-9a-f]{12}@example\.com\n$/)
})

test('where nothing listens, the command ends with one sentence and 2', async (t) => {
  const origin = `http://127.0.0.1:${(await freePorts(1))[0]}`
  const { code, output } = await run(t, origin, ...row)
  t.is(code, 2)
  t.is(output.trimEnd().split('\n').at(-1), `GET /readyz was not answered: nothing listens at ${origin}.`)
})

test('a file of facts that is named has to be there', async (t) => {
  const { code, output } = await run(t, '--facts', '/nonexistent/facts.json')
  t.is(code, 2)
  t.true(output.startsWith('There is no file /nonexistent/facts.json.\n\nUsage: '), output)
})

test('nothing that a file of facts holds is quoted, whatever is wrong with it', async (t) => {
  const texts = {
    '{"admin":{"password":"canary"': 'it is not a JSON object.',
    '{"api":"canary","admin":{"email":"a","password":["canary"]}}': 'look at api, admin.password, sites,',
  }
  for (const [text, words] of Object.entries(texts)) {
    const { code, output } = await run(t, '--facts', fileOf(text))
    t.is(code, 2)
    t.true(output.includes(`is not what npm start writes: ${words}`), output)
    t.false(output.includes('canary'))
  }
})

/** Facts that can be used. */
async function factsOf(api: string) {
  const { caFile: siteCaFile, certFile, keyFile } = await temporaryCertificates()
  const sites = { issueTracker: api, badTools: api, brokenManifest: api, contacts: api }
  const admin = { email: 'admin@example.com', password: 'canary' }
  const ownSites = { ports: [1, 2, 3, 4, 5, 6, 7, 8], certFile, keyFile }
  return { api, admin, sites, deadSite: api, siteCaFile, ownSites, cards: null, directives: false }
}

test('facts about another address are named with it', async (t) => {
  const { origin: api } = await startFakePlatform(t)
  const facts = await factsOf(api)
  const other = api.replace('127.0.0.1', 'localhost')
  const args = ['--only', 'codes/ADMIN_REQUIRED', '--facts']
  const found = await run(t, other, ...args, fileOf(JSON.stringify(facts)))
  t.is(found.code, 2)
  t.true(found.output.includes(`are those of ${api}, and not of ${other}:`), found.output)
  t.true(found.output.includes('not tried'))
})

test('facts that cannot be used are named, and no row is tried', async (t) => {
  const facts = await factsOf('http://127.0.0.1:1')
  const folder = newFolder()
  const noCertificate = fileOf('canary')
  const { ownSites } = facts
  const broken: [object, string][] = [
    [{ siteCaFile: '/nonexistent/ca.pem' }, 'names /nonexistent/ca.pem, which cannot be read: ENOENT'],
    [{ siteCaFile: folder }, `names ${folder}, which cannot be read: EISDIR`],
    [{ siteCaFile: noCertificate }, `names ${noCertificate}, which holds no certificate.`],
    [{ ownSites: { ...ownSites, ports: [] } }, 'is not what npm start writes: look at ownSites.ports.'],
    [{ ownSites: { ...ownSites, ports: Array(8).fill(0) } }, 'is not what npm start writes: look at ownSites.ports.0,'],
    [{ api: 'ftp://127.0.0.1' }, 'is not what npm start writes: look at api.'],
  ]
  for (const [change, words] of broken) {
    const file = fileOf(JSON.stringify({ ...facts, ...change }))
    const { code, output } = await run(t, '--facts', file)
    t.is(code, 2)
    t.true(output.startsWith(`${file} ${words}`), output)
    t.false(output.includes('canary'))
  }
})

test('a row that is not there is named, and no row is tried', async (t) => {
  const wrong = {
    'codes/UNAUTHORIZED,codes/NO_CREDITZ': 'There is no row codes/NO_CREDITZ; --list shows them.',
    '': '--only names no row; --list shows them.',
    ',': '--only names no row; --list shows them.',
  }
  for (const [only, sentence] of Object.entries(wrong)) {
    const { code, output } = await run(t, '--only', only)
    t.is(code, 2)
    t.true(output.startsWith(`${sentence}\n\nUsage: `), output)
  }
})

test('a base URL is scheme, host and port; no other one is accepted or repeated', (t) => {
  t.is(readArguments(['HTTP://LocalHost:3000/']).base, 'http://localhost:3000')
  const wrong = {
    'http://': 'no URL',
    'http://canary:99999': 'no URL',
    'ftp://canary': 'begins with https',
    'localhost:3000': 'begins with https',
    'http://user:canary@127.0.0.1': 'user name or password',
    'http://canary@127.0.0.1': 'user name or password',
    'http://127.0.0.1/canary': 'no path',
    'http://127.0.0.1/?canary': 'no path',
    'http://127.0.0.1/#canary': 'no path',
  }
  for (const [base, words] of Object.entries(wrong)) {
    const { name, message } = t.throws(() => readArguments([base]))
    t.is(name, 'UsageError')
    t.true(message.includes(words), message)
    t.false(message.includes('canary'))
  }
})
