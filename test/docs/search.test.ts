import test from 'ava'
import { createGuide } from '../../api/docs/guide.ts'
import { excerptOf } from '../../api/docs/search/excerpt.ts'
import { findables } from '../../api/docs/search/findable.ts'
import { createSearch, maxResults } from '../../api/docs/search/search.ts'
import { routes } from '../../api/routes.ts'

const guide = createGuide()
const search = createSearch(() => findables(guide, routes))
const first = async (query: string): Promise<string | undefined> => (await search(query))[0]?.href

test('the search has the right page on top', async (t) => {
  // The page of the guide, or the operation where there is none.
  t.regex((await first('cancel a run')) ?? '', /^\/docs\/(how-to\/cancel-a-run(#[\w-]+)?|api\/runs#cancelRun)$/)
  t.is(await first('NO_CREDITS'), '/docs/reference/errors#no_credits')
  t.regex(
    (await search('webhook secret')).map(({ title }) => title.toLowerCase())[0] ?? '',
    /webhook.* secret|secret.* webhook/,
  )
  const secrets = (await search('webhook secret')).map(({ href }) => href)
  t.true(
    secrets.indexOf('/docs/how-to/other-senders#rotate-the-webhook-secret') <
      secrets.indexOf('/docs/specification#webhook-secret'),
  )
  t.regex((await first('human in the loop')) ?? '', /^\/docs\/how-to\/approvals/)
  t.is(await first('VAULT_KEYS'), '/docs/reference/settings#vault_keys')
})

const expected: Record<string, string> = {
  approval: '/docs/how-to/approvals',
  approvals: '/docs/how-to/approvals',
  cron: '/docs/start/first-schedule',
  'cron job': '/docs/start/first-schedule',
  'own site': '/docs/sites/publish-tools',
  'publish tools': '/docs/sites/publish-tools',
  'X-Session-Token': '/docs/start/first-chat',
  chat: '/docs/start/first-chat',
  webhook: '/docs/start/first-webhook',
  replay: '/docs/how-to/replay',
  idempotency: '/docs/how-to/idempotency',
  'rate limit': '/docs/how-to/lists-and-limits',
  'API key': '/docs/how-to/sign-in-and-api-keys',
  'demo model': '/docs/how-to/demo-model',
  backup: '/docs/operate/back-up',
  docker: '/docs/operate/docker',
  durability: '/docs/understand/durability',
}

for (const [query, page] of Object.entries(expected)) {
  test(`the search for “${query}” has ${page} on top`, async (t) => {
    t.is((await first(query))?.split('#', 1)[0], page)
  })
}

test('words may be misspelled, incomplete, in the plural or in any case', async (t) => {
  const { href } = (await search('cancel run'))[0] ?? {}
  t.truthy(href)
  for (const query of ['Cancel Runs', 'CANCEL a RUN', 'cancel the run']) t.is(await first(query), href, query)
  t.true((await search('cancle a run')).length > 0)
  t.true((await search('idempot')).length > 0)
})

test('descriptions of operations are found as text without marks', async (t) => {
  const texts = (await search('connectUrl')).filter(({ href }) => href.startsWith('/docs/api')).map(({ text }) => text)
  t.true(texts.length > 0)
  t.notRegex(texts.join('\n'), /`|\]\(/)
})

test('there are at most twenty results, and none for what is nowhere', async (t) => {
  t.is((await search('run')).length, maxResults)
  t.deepEqual(await search('zzzyzzy'), [])
  t.deepEqual(await search('the'), [])
})

test('the index is built once, in pieces between which others have their turn', async (t) => {
  let built = 0
  let turns = 0
  const anew = createSearch(() => {
    built += 1
    return findables(createGuide(), routes)
  })
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all([anew('run'), anew('agent')])
  isOver = true
  t.is(built, 1)
  t.true(turns > 10, `${turns} turns`)
})

test('excerpts mark the words that were found, and everything in them is escaped', (t) => {
  const html = excerptOf('Rotate a <b>secret</b> & "its" secrets', new Set(['secret']))
  t.is(html, 'Rotate a &lt;b&gt;<mark>secret</mark>&lt;/b&gt; &amp; &quot;its&quot; <mark>secrets</mark>')
  const long = excerptOf(`${'word '.repeat(100)}needle ${'more '.repeat(100)}`, new Set(['needle']))
  t.regex(long, /^… .*<mark>needle<\/mark>.* …$/)
  t.true(long.length < 300)
})
