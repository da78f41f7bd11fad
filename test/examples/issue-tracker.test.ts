import test from 'ava'
import { askSite, startSites, type SiteRequest, type Sites } from '../helpers/sites.ts'

const issue = { title: 'It is broken', content: 'Since this morning.' }

const call = ({ tracker }: Sites, tool: string, request: SiteRequest) =>
  askSite(`${tracker.origin}/api/tools/${tool}`, { method: 'POST', body: {}, ...request })

test('a search answers with the members that the specification shows, and heeds every condition', async (t) => {
  const sites = await startSites(t)
  const token = sites.tracker.createToken('kim', 'reader')
  const found = (await call(sites, 'search_issues', { token, body: { category: 'bug', status: 'open' } })).json()
  t.deepEqual(found, {
    results: [
      { id: 1, title: 'Login page is blank in dark mode', status: 'open', assignee: 'dana', created: '2026-09-14' },
    ],
  })
  const all = (await call(sites, 'search_issues', { token })).json() as { results: unknown[] }
  t.is(all.results.length, 3)
  const byText = (await call(sites, 'search_issues', { token, body: { text: 'CSV' } })).json()
  t.like(byText, { results: [{ id: 2 }] })
})

test('an issue can be created, read, commented, and deleted', async (t) => {
  const sites = await startSites(t)
  const token = sites.tracker.createToken('kim')
  const body = { ...issue, author: 'sam', category: 'bug', post_id: 7 }
  const created = (await call(sites, 'issues.createIssue', { token, body })).json()
  t.like(created, { ...body, id: 4, status: 'open', assignee: 'dana', comments: [] })
  await call(sites, 'issues.addComment', { token, body: { id: 4, content: 'Looking at it.' } })
  const read = (await call(sites, 'get_issue', { token, body: { id: 4 } })).json()
  t.deepEqual(read['comments'], [{ author: 'kim', content: 'Looking at it.' }])
  t.like((await call(sites, 'delete_issue', { token, body: { id: 4 } })).json(), { deleted: true })
  const gone = await call(sites, 'get_issue', { token, body: { id: 4 } })
  t.is(gone.status, 404)
  t.deepEqual(gone.json(), { error: 'There is no issue 4.' })
})

test('a token that is unknown, revoked or expired is answered with 401', async (t) => {
  let now = Date.now()
  const sites = await startSites(t, { now: () => now })
  const [revoked, expired] = [sites.tracker.createToken('kim'), sites.tracker.createToken('kim')]
  const settings = `${sites.tracker.origin}/settings/tokens`
  t.is((await askSite(settings, { method: 'DELETE', body: { token: revoked } })).status, 200)
  for (const token of ['guessed', revoked]) t.is((await call(sites, 'search_issues', { token })).status, 401)
  t.is((await call(sites, 'search_issues', { token: expired })).status, 200)
  now += 91 * 24 * 60 * 60 * 1000
  t.is((await call(sites, 'search_issues', { token: expired })).status, 401)
})

test('an address has a limit of its own, which also counts calls without a good token', async (t) => {
  const sites = await startSites(t, { limits: { perAddress: 3 } })
  const token = sites.tracker.createToken('kim')
  for (const bad of ['a', 'b', 'c']) t.is((await call(sites, 'search_issues', { token: bad })).status, 401)
  const refused = await call(sites, 'search_issues', { token })
  t.is(refused.status, 429)
  t.true(Number(refused.headers['retry-after']) >= 1)
})

test('callers other than the platform are refused where the owner wants that', async (t) => {
  const sites = await startSites(t, { platformOnly: true })
  const token = sites.tracker.createToken('kim')
  t.is((await call(sites, 'search_issues', { token, headers: { 'User-Agent': 'curl/8' } })).status, 403)
  const platform = { 'User-Agent': 'Switchyard/0.1.0 (+http://127.0.0.1:3000)' }
  t.is((await call(sites, 'search_issues', { token, headers: platform })).status, 200)
})

test('a user makes, lists and revokes tokens on the settings page, and sees each once', async (t) => {
  const sites = await startSites(t)
  const settings = `${sites.tracker.origin}/settings/tokens`
  const page = await askSite(`${sites.tracker.origin}/settings`)
  t.regex(String(page.headers['content-type']), /text\/html/)

  const made = await askSite(settings, { body: { user: 'kim', role: 'reader', seconds: 3600 } })
  t.is(made.status, 201)
  const { token, expires } = made.json() as { token: string; expires: string }
  t.true(Math.abs(Date.parse(expires) - Date.now() - 3_600_000) < 60_000)
  t.is((await call(sites, 'search_issues', { token })).status, 200)

  const listed = await askSite(settings)
  t.false(listed.text.includes(token))
  const [described] = listed.json()['tokens'] as { id: string; name: string; role: string }[]
  t.like(described, { name: 'kim', role: 'reader' })
  await askSite(settings, { method: 'DELETE', body: { id: described?.id } })
  t.is((await call(sites, 'search_issues', { token })).status, 401)
  t.is((await askSite(settings, { method: 'DELETE', body: { token } })).status, 404)
})

test('the log tells of every call, refused ones too, and of no token', async (t) => {
  const sites = await startSites(t)
  const token = sites.tracker.createToken('kim')
  const headers = { 'Idempotency-Key': 'run-1:1:1', 'User-Agent': 'Switchyard/0.1.0' }
  await call(sites, 'search_issues', { token: 'a-secret-guess' })
  await call(sites, 'issues.createIssue', { token, headers, body: issue })
  await call(sites, 'issues.createIssue', { token, body: '{' })
  const answer = await askSite(`${sites.tracker.origin}/log`)
  const requests = answer.json()['requests'] as { at: string }[]
  const created = { tool: 'issues.createIssue', user: 'kim' }
  const none = { idempotencyKey: null, userAgent: null }
  t.deepEqual(
    requests.map(({ at: _at, ...rest }) => rest),
    [
      { tool: 'search_issues', status: 401, user: null, ...none },
      { ...created, status: 200, idempotencyKey: 'run-1:1:1', userAgent: 'Switchyard/0.1.0' },
      { ...created, status: 400, ...none },
    ],
  )
  t.true(requests.every(({ at }) => !Number.isNaN(Date.parse(at))))
  t.deepEqual(sites.tracker.requests() as unknown, requests)
  t.false(answer.text.includes(token) || answer.text.includes('a-secret-guess'))
})
