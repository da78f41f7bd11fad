import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import pLimit from 'p-limit'
import { firstAdminEmail } from '../../bin/first-admin-link.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { startContacts } from '../../examples/sites/contacts/server.ts'
import { catalogueOf } from '../helpers/catalogue.ts'
import { authorize, comeBack, openConnectUrl } from '../helpers/connect.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { testWith } from '../helpers/programs.ts'
import { ownFolder } from '../helpers/servers.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { missingFrom } from './excerpts.ts'
import { excerptedFile, isRun, readPages, setUpOf, type Block, type GuidePage } from './pages.ts'
import { differenceFrom } from './partial-json.ts'
import { openShell } from './shell.ts'

const root = join(import.meta.dirname, '../..')
const pages = readPages('docs/start', 'docs/how-to', 'docs/sites')
const testPage = testWith('curl', 'openssl')
/** Some pages at a time: each has a shell, and many programs that it starts. */
const inTurn = pLimit(4)

/** The platform and the sites that `npm start` would run, for all pages. */
const open = forWholeFile(test, 'the guide', async (t) => {
  const [port = 0] = await freePorts(1)
  const sites = await startSites(t)
  const redirectUris = [`http://127.0.0.1:${port}/vault/oauth/callback`]
  const contacts = await startContacts({ port: 0, tls: await temporaryCertificates(), redirectUris })
  t.teardown(contacts.close)
  const env = { RECONCILE_SECONDS: '1', ...catalogueOf(t, { ...sites, contacts }, sites.tracker.createToken('ada')) }
  const platform = await startPlatform(t, { port, worker: true, env })
  const admin = await person(platform, firstAdminEmail)
  await setAdmin(platform.services.database, admin.email, true)
  return { platform, sites, contacts, admin }
})

type Stage = Awaited<ReturnType<typeof open>>

/** What the folder of a reader has: the data of `npm start`, the packages, the examples. */
async function readersFolder({ admin: { email, password } }: Stage): Promise<string> {
  const folder = ownFolder()
  const { caFile } = await temporaryCertificates()
  mkdirSync(join(folder, '.data'))
  symlinkSync(join(caFile, '..'), join(folder, '.data', 'certificates'))
  writeFileSync(join(folder, '.data', 'admin.json'), JSON.stringify({ email, password }))
  for (const name of ['node_modules', 'examples', 'bin', 'src', 'package.json', 'clients', 'check-site', 'docs'])
    symlinkSync(join(root, name), join(folder, name))
  return folder
}

/** The text of a page with the addresses of this installation, and with accounts of its own. */
function placed({ platform, sites, contacts }: Stage, { path }: GuidePage, port: number): (text: string) => string {
  const addresses = {
    'http://127.0.0.1:3000': platform.url,
    'https://127.0.0.1:4401': sites.tracker.origin,
    'https://127.0.0.1:4402': sites.badTools.origin,
    'https://127.0.0.1:4404': contacts.origin,
    '4600': String(port),
    '@example.com': `@${basename(path, '.md')}.example.com`,
  }
  return (text) => Object.entries(addresses).reduce((all, [from, to]) => all.replaceAll(from, to), text)
}

/** Does what the page asks the reader to do in a browser: opens the address, signs in at the site, and allows access. */
async function visit({ platform }: Stage, printed: string): Promise<void> {
  const [address] = /http:\/\/\S+\/vault\/oauth\/go\?ticket=[\w-]+/.exec(printed) ?? []
  if (address === undefined) return
  const opened = await openConnectUrl(platform, address)
  await comeBack(platform, await authorize({ flowId: '', ...opened }), opened.cookie)
}

const isError = (printed: string): boolean => /"statusCode": ?[45]\d\d/.test(printed)

/** Fails unless the output is what the next block shows. Nobody wants to read an error that is not shown. */
function compare(t: ExecutionContext, { text }: Block, printed: string, shown: Block | undefined): void {
  const where = `${text}\nprinted:\n${printed}`
  if (shown?.language === 'json') {
    t.is(differenceFrom(JSON.parse(printed), shown.text), undefined, where)
  } else if (shown?.language === 'text') {
    t.is(missingFrom(printed, shown.text), undefined, where)
  } else {
    t.false(isError(printed), where)
  }
}

async function runPage(t: ExecutionContext, page: GuidePage): Promise<void> {
  const stage = await open()
  const [port = 0] = await freePorts(1)
  const here = placed(stage, page, port)
  const run = openShell(t, await readersFolder(stage))
  for (const block of setUpOf(page)) await run(here(block))
  for (const [index, block] of page.blocks.entries()) {
    if (!isRun(block)) continue
    const printed = await run(here(block.text))
    const next = page.blocks[index + 1]
    compare(t, block, printed, next && { ...next, text: here(next.text) })
    await visit(stage, printed)
  }
  t.pass()
}

for (const page of pages) {
  testPage(`${page.path} runs as it is printed`, (t) => {
    t.timeout(300_000)
    return inTurn(() => runPage(t, page))
  })
}

/** Excerpts are indented as they stand alone. */
const flat = (text: string): string => text.replaceAll(/^ +/gm, '')

test('what is not run says why, and excerpts are in their files', (t) => {
  for (const { path, blocks } of pages) {
    for (const block of blocks) {
      if (block.language === 'sh' && !isRun(block)) t.regex(block.note, /^not-run: \S|^first hour/, path)
      const file = excerptedFile(block)
      if (file !== undefined)
        t.is(missingFrom(flat(readFileSync(join(root, file), 'utf8')), flat(block.text)), undefined, `${path}: ${file}`)
    }
  }
})
