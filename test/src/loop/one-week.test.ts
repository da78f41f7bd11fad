import test, { type ExecutionContext } from 'ava'
import { Client } from 'pg'
import { v7 } from 'uuid'
import { ChatAnswer } from '../../../src/chat/chat-answer.ts'
import { createAnswerChanges } from '../../../src/chat/changes.ts'
import { readConversation } from '../../../src/chat/conversation.ts'
import { forgetWords } from '../../../src/chat/ending.ts'
import { createHistory } from '../../../src/chat/history.ts'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { closeCalls } from '../../../src/loop/close-calls.ts'
import { ensurePartitions } from '../../../src/runs/retention/partitions.ts'
import { deleteSessions } from '../../../src/sessions/session.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { agentIn } from '../runs/agent-in.ts'

const at = new Date('2026-01-14T12:00:00Z')
const logger = createLogger('silent', 'test')

/** An answer of a chat half a year ago, in a database with partitions of every week since. */
async function answered(database: Database): Promise<ChatAnswer> {
  await ensurePartitions(database, new Date(), at)
  const { ownerId } = await agentIn(database)
  const [sessionId, messageId] = [newId(), newId()]
  const times = { createdAt: at, usedAt: at, expiresAt: at }
  await database('sessions').insert({
    id: sessionId,
    ownerId,
    lastNumber: 2,
    tokenHash: 'h',
    onDisconnect: 'cancel',
    ...times,
  })
  await database('chat_messages').insert({ sessionId, number: 1, id: messageId, createdAt: at, text: 'Hello' })
  const id = v7({ msecs: at.getTime() })
  const whose = { sessionId, number: 2, id, ownerId, messageId }
  const ended = { status: 'completed', onDisconnect: 'cancel', model: 'demo', createdAt: at, endedAt: at, steps: 1 }
  return ChatAnswer.query(database).insertAndFetch({ ...whose, ...ended } as Partial<ChatAnswer>)
}

/** The partitions of steps and calls that the statements of this work are planned for. */
async function plannedFor(t: ExecutionContext, url: string, database: Database, work: () => Promise<unknown>) {
  const statements: { sql: string; bindings: unknown[] }[] = []
  const note = (query: { sql: string; bindings: unknown[] }) => void statements.push(query)
  database.on('query', note)
  await work()
  database.off('query', note)
  const about = statements.filter(({ sql }) => /\b(steps|tool_calls)\b/.test(sql))
  t.not(about.length, 0)
  const client = new Client({ connectionString: url })
  await client.connect()
  const plans = []
  for (const { sql, bindings } of about) plans.push(await client.query(`explain ${sql}`, bindings))
  await client.end()
  const text = plans.flatMap(({ rows }) => rows.map((row) => Object.values(row as object).join())).join('\n')
  return [...new Set(text.match(/\b(steps|tool_calls)_(default|\d{8})\b/g))].toSorted()
}

test('whatever is read or changed of an answer, only the partitions of its week are planned for', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 4 } }, logger)
  t.teardown(() => database.destroy())
  const answer = await answered(database)
  const { id, sessionId } = answer
  const history = createHistory({ database })
  const works: Record<string, () => Promise<unknown>> = {
    'the history of its session': () => history.list(sessionId, { after: 0, limit: 10, branch: 'all' }),
    'the answer alone': () => history.answer(id),
    'what its model is shown': () => readConversation(database, answer, true),
    'a look for changes': async () => {
      const watch = createAnswerChanges({ database, logger }).watch(answer)
      await watch.changed(AbortSignal.timeout(10_000))
      watch.close()
    },
    'the end of its words': () => database.transaction(async (trx) => forgetWords(trx, id)),
    'the end of its calls': () => database.transaction((trx) => closeCalls(trx, { kind: 'answer', id }, at)),
    'the end of its session': () => database.transaction((trx) => deleteSessions(trx, [sessionId])),
  }
  const week = new Set(['steps_20260112', 'tool_calls_20260112'])
  for (const [name, work] of Object.entries(works)) {
    const planned = await plannedFor(t, url, database, work)
    t.deepEqual(
      planned.filter((one) => !week.has(one)),
      [],
      name,
    )
    t.not(planned.length, 0, name)
  }
})
