import test from 'ava'
import { startPlatform } from '../helpers/platform.ts'
import { connectTracker, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { startSites } from '../helpers/sites.ts'

test('a webhook becomes a run that calls a tool of a connected site', async (t) => {
  const sites = await startSites(t)
  const platform = await startPlatform(t, { sites, worker: true })
  const someone = await customer(platform)
  const entryId = await connectTracker(someone, sites)
  const agent = await webhookAgent(someone, { sites: [{ vaultEntryId: entryId, tools: ['issues.createIssue'] }] })

  const { status, body } = await deliver(platform, agent, { title: 'It is broken', content: 'See for yourself.' })
  t.is(status, 202)
  t.like(body, { status: 'queued', sequence: 1, ahead: 0 })

  const run = await ended(someone, body.runId)
  t.is(run.status, 'completed')
  t.is(run.triggeredBy, 'Triggered by: Webhook')
  const [request] = sites.tracker.requests()
  t.like(request, { tool: 'issues.createIssue', status: 200, idempotencyKey: `${body.runId}:1:0` })
  const timeline = await timelineOf(someone, body.runId)
  t.deepEqual(
    timeline.map(({ kind }) => kind),
    [
      'accepted',
      'started',
      'step.started',
      'step.finished',
      'tool.started',
      'tool.finished',
      'step.started',
      'step.finished',
      'ended',
    ],
  )
  t.deepEqual(
    timeline.map(({ number }) => number),
    timeline.map((_, index) => index + 1),
  )
})
