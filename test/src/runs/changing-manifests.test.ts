import test, { type ExecutionContext } from 'ava'
import { toolOf, type ChangingSite } from '../../helpers/changing-site.ts'
import { eventually } from '../../helpers/eventually.ts'
import { openManifests, withTools } from '../../helpers/manifests.ts'
import { agentOf, ended } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'

/**
 * An agent that runs while its site changes. It tries both tools and waits, three times: before the site has changed,
 * after the change was found, and after it was accepted (where that is needed).
 */
async function runThrough(t: ExecutionContext, members: (site: ChangingSite) => Record<string, unknown>) {
  const opened = await openManifests(t, { worker: true })
  const { site, someone, entryId, refresh, accept } = opened
  const trying = (n: number) => `[[call get_one {"n": ${n}}]] [[call get_new {"n": ${n}}]] [[then]]`
  const waiting = (n: number) => `[[call wait_here {"n": ${n}}]] [[then]]`
  const systemPrompt = `${trying(1)} ${waiting(1)} ${trying(2)} ${waiting(2)} ${trying(3)} [[say Done.]]`
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId: entryId }] })
  const runId = (await start(someone, agent)).body.id
  const since = () => {
    const seen = site.calls().length
    return () =>
      site
        .calls()
        .slice(seen)
        .map((address) => address.replace(site.origin, 'first').replace(site.otherOrigin, 'second'))
        .toSorted()
  }
  const stopped = (what: string) =>
    eventually(30, `the run waits at its site ${what}`, () => (site.waiting() > 0 ? true : undefined))
  const startOfRun = since()
  await stopped('before the change')
  const before = startOfRun()

  site.change(members(site))
  const found = await refresh()
  const afterRefresh = since()
  site.release()
  await stopped('after the change')
  const whileFound = afterRefresh()
  const elsewhere = site.requests.filter(({ origin }) => origin === site.otherOrigin).length

  if (found.status === 'pending') await accept(found.fingerprint).then((answer) => answer.body)
  const afterAccepting = since()
  site.release()
  const run = await ended(someone, runId, 45)
  return { found, before, whileFound, elsewhere, afterwards: afterAccepting(), run, site }
}

const one = 'first/v1/tools/get_one'
const added = 'first/v1/tools/get_new'

test('a running agent uses other words of its site at once, and nothing else changes', async (t) => {
  const seen = await runThrough(t, () => ({ version: '2', description: 'Other words.' }))
  t.like(seen.found, { class: 'text', status: 'adopted' })
  t.deepEqual([seen.before, seen.whileFound, seen.afterwards], [[one], [one], [one]])
  t.is(seen.run.status, 'completed')
})

test('a running agent uses a tool that was added at its next step, without anybody being asked', async (t) => {
  const seen = await runThrough(t, () => withTools('get_one', 'get_two', 'wait_here', 'get_new'))
  t.like(seen.found, { class: 'compatible', status: 'adopted' })
  t.deepEqual([seen.before, seen.whileFound, seen.afterwards], [[one], [added, one], [added, one]])
  t.is(seen.run.status, 'completed')
})

test('a running agent may use a tool that needs a new scope where its token is not bound to scopes', async (t) => {
  const scoped = {
    tools: [toolOf('get_one'), toolOf('wait_here'), toolOf('get_two'), toolOf('get_new', { scope: 'admin' })],
  }
  const seen = await runThrough(t, () => scoped)
  t.like(seen.found, { class: 'new_scope', status: 'adopted' })
  t.deepEqual([seen.before, seen.whileFound], [[one], [added, one]])
})

test('a running agent keeps the tools of the pinned manifest until a breaking change was accepted', async (t) => {
  const seen = await runThrough(t, () => withTools('get_new', 'get_two', 'wait_here'))
  t.like(seen.found, { class: 'breaking', status: 'pending' })
  t.deepEqual([seen.before, seen.whileFound, seen.afterwards], [[one], [one], [added]])
  t.is(seen.run.status, 'completed')
})

test('a running agent keeps to the pinned address until the other one was accepted', async (t) => {
  const seen = await runThrough(t, ({ otherOrigin }) => ({ server: { url: `${otherOrigin}/v2` } }))
  t.like(seen.found, { class: 'changed_address', status: 'pending' })
  t.deepEqual([seen.before, seen.whileFound, seen.elsewhere], [[one], [one], 0])
  t.deepEqual(seen.afterwards, ['second/v2/tools/get_one'])
  t.true(seen.site.requests.every(({ authorized }) => authorized))
  t.is(seen.run.status, 'completed')
})
