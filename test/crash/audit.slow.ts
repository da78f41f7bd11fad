// @promise audit
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as audit from '../../api/audit.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { measured } from './record.ts'
import { openStage } from './stage.ts'

test('an API that is killed while things are changed has an entry in the audit log for every change that was made', async (t) => {
  const stage = await openStage(t)
  const api = await stage.startApi()
  const someone = await customer(stage.platform)
  const made = await Promise.all(Array.from({ length: 8 }, () => agentOf(someone, { name: '0' })))
  let answered = 0
  const lane = async (agentId: string) => {
    for (let nth = 1; nth <= 500; nth += 1) {
      await call({ ...someone, url: api.url }, agents.updateAgent, { params: { agentId }, body: { name: String(nth) } })
      answered += 1
    }
  }
  const broken = Promise.allSettled(made.map(({ id }) => lane(id)))
  await eventually(10, 'changes are under way', () => (answered >= 60 ? true : undefined))
  await api.kill()
  t.true((await broken).every(({ status }) => status === 'rejected'))

  let changes = 0
  let unknown = 0
  for (const { id: agentId } of made) {
    const changed = Number((await call(someone, agents.getAgent, { params: { agentId } })).body.name)
    const query = { subjectId: agentId, action: 'updateAgent', limit: '100' }
    const log = (await call(someone, audit.listAudit, { query })).body.items
    // The last change may have been killed before it was made, or before its outcome was written.
    t.true(log.length === changed || log.length === changed + 1, `${log.length} entries of ${changed} changes`)
    const done = log.filter(({ outcome }) => outcome === 'done').map(({ after }) => Number(after?.['name']))
    t.deepEqual(
      done.toReversed(),
      Array.from({ length: done.length }, (_, index) => index + 1),
    )
    t.true(done.length >= changed - 1)
    changes += changed
    unknown += log.length - done.length
  }
  t.true(changes >= answered)
  measured(t, `${answered} answered, ${changes} made, ${unknown} entries whose outcome nobody saw`)
})
