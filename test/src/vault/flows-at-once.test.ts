import test from 'ava'
import { hold } from '../../helpers/hold.ts'
import { eventually } from '../../helpers/eventually.ts'
import { openOAuthStage } from '../../api/oauth-stage.ts'

test('of two tabs that come back from the site in the same moment one exchanges its code', async (t) => {
  const stage = await openOAuthStage(t)
  const { database } = stage.platform.services
  const attempt = await stage.begin()
  const release = await hold(database, (trx) => trx('oauthFlows').where({ id: attempt.flowId }).forUpdate())
  const tabs = [stage.finish(attempt), stage.finish(attempt)]
  await eventually(10, 'both have seen that the flow is open, and want to use it up', async () => {
    const waiting = await database('pg_stat_activity')
      .whereRaw('datname = current_database()')
      .where({ wait_event_type: 'Lock' })
    return waiting.length === 2 || undefined
  })
  await release()
  const answers = await Promise.all(tabs)
  t.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 400],
  )
  t.is(stage.site.tokenForms.length, 1)
})
