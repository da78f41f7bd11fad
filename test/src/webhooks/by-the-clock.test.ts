import test, { type ExecutionContext } from 'ava'
import { giveCredits } from '../../../api/admin-credits.ts'
import { rotateSecret } from '../../../api/agent-secrets.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { shiftedClock } from '../../helpers/clock.ts'
import { newOwner } from '../../helpers/owner.ts'
import { deliver } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { spendAllBut } from '../../helpers/runs.ts'
import { userIdOf } from '../../helpers/workspaces.ts'

/* What ends by the clock alone ends for remembered agents, too. */

async function open(t: ExecutionContext) {
  const clock = shiftedClock()
  const platform = await startPlatform(t, { clock })
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent()
  const { runId } = (await owner.deliver(agent, { number: 1 })).body
  const post = async (webhookSecret = agent.webhookSecret, id = agent.id) => {
    const answer = await deliver(platform, { id, webhookSecret }, { number: 2 })
    return answer.status === 202 ? 202 : answer.failure.code
  }
  const boss = await adminOf(platform)
  const params = { userId: await userIdOf(owner) }
  /** Gives credits that are used last and end in an hour. */
  const give = async (credits: number) => {
    const expiresAt = new Date(clock.now().getTime() + 3600 * 1000).toISOString()
    const body = { credits, expiresAt, priority: 100, note: 'For an hour.' }
    return (await call(boss, giveCredits, { params, body })).status
  }
  return { clock, platform, owner, agent, runId, post, give }
}

test('the former secret of a remembered agent ends with its overlap', async (t) => {
  const { clock, owner, agent, post } = await open(t)
  const rotation = { params: { agentId: agent.id }, body: { overlapSeconds: 60 } }
  const { webhookSecret } = (await call(owner, rotateSecret, rotation)).body
  t.deepEqual([await post(), await post(webhookSecret ?? ''), await post()], [202, 202, 202])
  clock.forward(61)
  t.deepEqual([await post(), await post(webhookSecret ?? '')], ['WEBHOOK_SECRET_INVALID', 202])
})

test('credits that a remembered account had end with their time', async (t) => {
  const { clock, platform, owner, runId, post, give } = await open(t)
  t.is(await give(10), 201)
  await spendAllBut(platform, runId, 10)
  const late = await owner.webhookAgent()
  const postLate = () => post(late.webhookSecret, late.id)
  t.deepEqual([await postLate(), await postLate()], [202, 202])
  clock.forward(3601)
  t.is(await postLate(), 'NO_CREDITS')
})

test('credits that were given after the account was remembered end with their time', async (t) => {
  const { clock, platform, runId, post, give } = await open(t)
  t.is(await post(), 202)
  t.is(await give(10), 201)
  await spendAllBut(platform, runId, 10)
  clock.forward(3601)
  t.is(await post(), 'NO_CREDITS')
})

test('a delivery to a remembered agent is one statement', async (t) => {
  const { platform, post } = await open(t)
  const statements: string[] = []
  platform.services.database.on('query', ({ sql }: { sql: string }) => void statements.push(sql))
  t.is(await post(), 202)
  t.deepEqual(
    statements.filter((sql) => !sql.includes('stored_bytes')),
    ['select * from accept_runs($1::json, $2::uuid[], $3, $4, $5, $6)'],
  )
})
