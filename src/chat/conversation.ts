import type { Database } from '../database/database.ts'
import type { Chat } from '../models/chat-prompt.ts'
import { noCuts, type Cuts } from '../models/fit.ts'
import type { TranscriptStep } from '../models/prompt.ts'
import { ChatToolCall, isFinal } from '../tools/tool-call.ts'
import { unreadResult } from '../tools/unread-result.ts'
import { treeOf } from './accept.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'
import { ChatStep } from './chat-step.ts'
import { pathTo } from './place.ts'

/** How many exchanges are read: more do not fit into any window. */
const maxExchanges = 200
/** How much of earlier answers is read, in bytes: a session of some megabytes must not take as much of the process. */
const maxBytes = 16 * 1024 * 1024

/** Reads what the model is shown for the next step of an answer: the path to its message, and what it has done. */
export async function readConversation(database: Database, answer: ChatAnswer, summarizes: boolean): Promise<Chat> {
  const whole = pathTo(await treeOf(database, answer.sessionId), answer.messageId)
  const last = whole.slice(-maxExchanges)
  const { shortenedThrough, leftOutThrough, bytesPerToken } = await earlierPrompts(database, answer, last)
  const path = await recent(database, whole.slice(Math.max(leftOutThrough, whole.length - maxExchanges)))
  const answerTo = new Map(path.map(({ messageId, answerId }) => [messageId, answerId]))
  if (answer.steps > 0) answerTo.set(answer.messageId, answer.id)
  const [words, steps, summary] = await Promise.all([
    wordsOf(
      database,
      path.map(({ messageId }) => messageId),
    ),
    stepsOf(
      database,
      [...answerTo.values()].filter((id) => id !== undefined),
    ),
    leftOutThrough > 0 ? summaryOn(database, answer, last) : undefined,
  ])
  const before = whole.length - path.length
  const exchanges = path.map(({ messageId }, index) => ({
    number: before + index + 1,
    words: words.get(messageId) ?? '',
    steps: steps.get(answerTo.get(messageId) ?? '') ?? [],
  }))
  return { exchanges, shortenedThrough, summary, summarizes, bytesPerToken: bytesPerToken ?? undefined }
}

const answersOn = ({ id }: ChatAnswer, path: Path): string[] => [id, ...path.flatMap(({ answerId }) => answerId ?? [])]

/**
 * How far the prompts of earlier steps on the path were cut: later ones begin alike, so that providers can cache them. And
 * what the model's provider has counted last; another model has other tokens.
 */
async function earlierPrompts(database: Database, answer: ChatAnswer, path: Path): Promise<Cuts & Measured> {
  const ids = answersOn(answer, path)
  const { rows } = await database.raw<{ rows: (Cuts & Measured)[] }>(promptsStatement, { ids, model: answer.model })
  return rows[0] ?? { ...noCuts, bytesPerToken: null }
}

interface Measured {
  bytesPerToken: number | null
}

const promptsStatement = `
  select coalesce(max(shortened_through), 0) as "shortenedThrough", coalesce(max(left_out_through), 0) as "leftOutThrough",
         (array_agg(bytes_per_token order by recorded_at desc)
            filter (where bytes_per_token is not null and model = :model))[1] as "bytesPerToken"
    from chat_steps where answer_id = any(:ids::uuid[])`

/** The newest summary on the path. A model that was asked for one may have answered nothing. */
async function summaryOn(database: Database, answer: ChatAnswer, path: Path): Promise<string | undefined> {
  const summaries = ChatStep.query(database)
    .whereIn('answerId', answersOn(answer, path))
    .where({ outcome: 'summary' })
    .where('answer', '<>', '')
  return (await summaries.orderBy('leftOutThrough', 'desc').select('answer').first())?.answer
}

/** The last of the exchanges whose answers are not too much together; at least the last one. */
async function recent(database: Database, path: Path): Promise<Path> {
  const ids = path.flatMap(({ answerId }) => answerId ?? [])
  if (ids.length === 0) return path
  const { rows } = await database.raw<{ rows: { id: string; bytes: number }[] }>(sizesStatement, { ids })
  const bytesOf = new Map(rows.map(({ id, bytes }) => [id, bytes]))
  let total = 0
  const past = path.findLastIndex(({ answerId = '' }) => (total += bytesOf.get(answerId) ?? 0) > maxBytes)
  return path.slice(Math.min(past + 1, path.length - 1))
}

type Path = ReturnType<typeof pathTo>

const sizesStatement = `
  select answer_id as id, sum(bytes)::float8 as bytes from (
    select answer_id, octet_length(answer) + coalesce(octet_length(content), 0) as bytes
      from chat_steps where answer_id = any(:ids::uuid[])
    union all
    select answer_id, octet_length(arguments) + coalesce(octet_length(result), 0)
      from chat_tool_calls where answer_id = any(:ids::uuid[])
  ) parts group by answer_id`

async function wordsOf(database: Database, ids: string[]): Promise<Map<string, string>> {
  const found = await ChatMessage.query(database).whereIn('id', ids).select('id', 'text')
  return new Map(found.map(({ id, text }) => [id, text]))
}

/** The steps of answers, by their ids. A call that has no outcome yet is left out with its step: nobody may see it. */
async function stepsOf(database: Database, answerIds: string[]): Promise<Map<string, TranscriptStep[]>> {
  if (answerIds.length === 0) return new Map()
  const [steps, calls] = await Promise.all([
    ChatStep.query(database)
      .whereIn('answerId', answerIds)
      .whereRaw("outcome is distinct from 'summary'")
      .orderBy(['answerId', 'step']),
    ChatToolCall.query(database).whereIn('answerId', answerIds).orderBy(['answerId', 'step', 'position']),
  ])
  const of = Map.groupBy(calls, ({ answerId, step }) => `${answerId} ${step}`)
  const shown = steps.flatMap((row) => {
    const own = of.get(`${row.answerId} ${row.step}`) ?? []
    return own.every(({ status }) => isFinal(status)) ? [{ answerId: row.answerId, step: toStep(row, own) }] : []
  })
  const grouped = Map.groupBy(shown, ({ answerId }) => answerId)
  return new Map([...grouped].map(([id, rows]) => [id, rows.map(({ step }) => step)]))
}

const toStep = ({ answer, content, outcome, remark }: ChatStep, calls: ChatToolCall[]): TranscriptStep => ({
  text: answer,
  content,
  problem: outcome === null || outcome === 'summary' ? undefined : { kind: outcome, detail: remark },
  calls: calls.map(({ id, modelCallId, name, arguments: given, status, result }) => ({
    id: modelCallId ?? id,
    name,
    arguments: given,
    outcome: { status: status as 'succeeded', text: result ?? (status === 'succeeded' ? unreadResult : '') },
  })),
})
