import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { readArguments } from '../../conformance/arguments.ts'
import { readFacts } from '../../conformance/facts.ts'
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

test('after SIGTERM the command deletes what it has made, and ends with 130', async (t) => {
  let isLimited = true
  const platform = await startFakePlatform(t, {
    'GET /agents': (_request, response) => {
      response.writeHead(isLimited ? 429 : 200, isLimited ? { 'retry-after': '60' } : {}).end('{"items":[]}')
      isLimited = false
    },
  })
  const { child, ended, output, untilSaid } = start(t, [platform.origin, ...row])
  await untilSaid('waiting 60 s')
  child.kill('SIGTERM')
  t.is(await ended, 130)
  t.is(platform.asked.at(-1), 'DELETE /auth/me')
  t.regex(output(), /Stopping, and deleting what the check created.*Interrupted: 0 of 1 rows have a verdict\./s)
})

test('a second Ctrl-C ends at once, and names the accounts that stay', async (t) => {
  const { origin } = await startFakePlatform(t, limited)
  const { child, ended, output, untilSaid } = start(t, [origin, ...row])
  await untilSaid('waiting 60 s')
  // Presses that follow within a second count as one.
  for (const isOver = ended.then(() => true); !(await Promise.race([isOver, delay(200, false)]));) child.kill('SIGINT')
  t.is(await ended, 130)
  t.regex(
    output(),
    /These accounts remain, along with everything that has not been deleted yet: conformance-[0-9a-f]{12}@example\.com\n$/,
  )
})

test('where nothing listens, the command ends with one sentence and 2', async (t) => {
  const origin = `http://127.0.0.1:${(await freePorts(1))[0]}`
  const { code, output } = await run(t, origin, ...row)
  t.is(code, 2)
  t.is(output.trimEnd().split('\n').at(-1), `GET /readyz was not answered: nothing listens at ${origin}.`)
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
  t.true(found.output.includes(`are about ${api}, not ${other}:`), found.output)
  t.true(found.output.includes('not tried'))
})

test('facts that cannot be used are named, and nothing of them is quoted', async (t) => {
  const facts = await factsOf('http://127.0.0.1:1')
  const { ownSites } = facts
  const [folder, noCertificate] = [newFolder(), fileOf('canary')]
  for (const [written, words] of [
    ['{"admin":{"password":"canary"', 'is not what npm start writes: it is not a JSON object.'],
    [{ api: 'canary', admin: { email: 'a', password: ['canary'] } }, 'writes: look at api, admin.password, sites,'],
    [{ ...facts, siteCaFile: '/nonexistent/ca.pem' }, 'names /nonexistent/ca.pem, which cannot be read: ENOENT'],
    [{ ...facts, siteCaFile: folder }, `names ${folder}, which cannot be read: EISDIR`],
    [{ ...facts, siteCaFile: noCertificate }, `names ${noCertificate}, which holds no certificate.`],
    [{ ...facts, ownSites: { ...ownSites, ports: [] } }, 'look at ownSites.ports.'],
    [{ ...facts, ownSites: { ...ownSites, ports: Array(8).fill(0) } }, 'look at ownSites.ports.0,'],
    [{ ...facts, api: 'ftp://127.0.0.1' }, 'look at api.'],
  ] as const) {
    const file = fileOf(typeof written === 'string' ? written : JSON.stringify(written))
    const { message } = t.throws(() => readFacts(file))
    t.true(message.startsWith(file) && message.includes(words), message)
    t.false(message.includes('canary'))
  }
})

test('a row or a file of facts that is not there is named, and no row is tried', async (t) => {
  for (const [args, sentence] of [
    [
      ['--only', 'codes/UNAUTHORIZED,codes/NO_CREDITZ'],
      'There is no such row: codes/NO_CREDITZ. --list shows all rows.',
    ],
    [['--facts', '/nonexistent/facts.json'], 'There is no file /nonexistent/facts.json.'],
  ] as const) {
    const { code, output } = await run(t, ...args)
    t.is(code, 2)
    t.true(output.startsWith(`${sentence}\n\nUsage: `), output)
  }
  for (const only of ['', ','])
    t.throws(() => readArguments(['--only', only]), { message: '--only names no row. --list shows all rows.' })
})

test('a base URL is scheme, host and port; no other one is accepted or repeated', (t) => {
  t.is(readArguments(['HTTP://LocalHost:3000/']).base, 'http://localhost:3000')
  const wrong = {
    'http://': 'no URL',
    'http://canary:99999': 'no URL',
    'ftp://canary': 'begins with https',
    'localhost:3000': 'begins with https',
    'http://user:canary@127.0.0.1': 'user name or password',
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
