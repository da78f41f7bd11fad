import type { Database } from '../database/database.ts'
import type { Chat } from '../loop/chat-prompt.ts'
import { noCuts, type Cuts } from '../loop/fit.ts'
import { shownStep, type ShownStep } from '../loop/shown-step.ts'
import { ToolCall, isFinal } from '../tools/tool-call.ts'
import { treeOf } from './accept.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'
import { Step } from '../loop/step.ts'
import { bytesOfSubjects } from '../loop/subject-bytes.ts'
import { pathTo } from './place.ts'

/** How many exchanges are read: more do not fit into any window. */
const maxExchanges = 200
/** How much of earlier answers is read, in bytes: a session of some megabytes must not take as much of the process. */
const maxBytes = 16 * 1024 * 1024

/** Reads what the model is shown for the next step of an answer: the path to its message, and what it has done. */
export async function readConversation(database: Database, answer: ChatAnswer, summarizes: boolean): Promise<Chat> {
  const whole = pathTo(await treeOf(database, answer.sessionId), answer.messageId)
  const last = whole.slice(-maxExchanges)
  const [{ shortenedThrough, leftOutThrough }, bytesPerToken] = await Promise.all([
    cutsOf(database, answer, last),
    measuredFor(database, answer, last),
  ])
  const path = await recent(database, whole.slice(Math.max(leftOutThrough, whole.length - maxExchanges)))
  const answerTo = new Map(path.map(({ messageId, answerId }) => [messageId, answerId]))
  answerTo.set(answer.messageId, answer.id)
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
  return { exchanges, shortenedThrough, summary, summarizes, bytesPerToken }
}

const answersOn = ({ id }: ChatAnswer, path: Path): string[] => [id, ...path.flatMap(({ answerId }) => answerId ?? [])]

/** How far the prompts of earlier steps on the path were cut. Later ones begin alike, so that providers can cache them. */
async function cutsOf(database: Database, answer: ChatAnswer, path: Path): Promise<Cuts> {
  const { rows } = await database.raw<{ rows: Cuts[] }>(cutsStatement, { ids: answersOn(answer, path) })
  return rows[0] ?? noCuts
}

const cutsStatement = `
  select coalesce(max(shortened_through), 0) as "shortenedThrough", coalesce(max(left_out_through), 0) as "leftOutThrough"
    from steps where subject_id = any(:ids::uuid[])`

/** The newest summary on the path. A model that was asked for one may have answered nothing. */
async function summaryOn(database: Database, answer: ChatAnswer, path: Path): Promise<string | undefined> {
  const summaries = Step.query(database)
    .whereIn('subjectId', answersOn(answer, path))
    .where({ outcome: 'summary' })
    .where('answer', '<>', '')
  return (await summaries.orderBy('leftOutThrough', 'desc').select('answer').first())?.answer
}

/** What the model's provider has counted last on the path; another model has other tokens. */
async function measuredFor(database: Database, answer: ChatAnswer, path: Path): Promise<number | undefined> {
  const counted = Step.query(database)
    .whereIn('subjectId', answersOn(answer, path))
    .where({ model: answer.model })
    .whereNotNull('bytesPerToken')
  return (await counted.orderBy('recordedAt', 'desc').select('bytesPerToken').first())?.bytesPerToken ?? undefined
}

/** The last of the exchanges whose answers are not too much together; at least the last one. */
async function recent(database: Database, path: Path): Promise<Path> {
  const ids = path.flatMap(({ answerId }) => answerId ?? [])
  const bytesOf = await bytesOfSubjects(database, ids)
  let total = 0
  const past = path.findLastIndex(({ answerId = '' }) => (total += bytesOf.get(answerId) ?? 0) > maxBytes)
  return path.slice(Math.min(past + 1, path.length - 1))
}

type Path = ReturnType<typeof pathTo>

async function wordsOf(database: Database, ids: string[]): Promise<Map<string, string>> {
  const found = await ChatMessage.query(database).whereIn('id', ids).select('id', 'text')
  return new Map(found.map(({ id, text }) => [id, text]))
}

/** The steps of answers, by their ids. A call that has no outcome yet is left out with its step: nobody may see it. */
async function stepsOf(database: Database, answerIds: string[]): Promise<Map<string, ShownStep[]>> {
  const [steps, calls] = await Promise.all([
    Step.query(database)
      .whereIn('subjectId', answerIds)
      .whereRaw("outcome is distinct from 'summary'")
      .orderBy(['subjectId', 'step']),
    ToolCall.query(database).whereIn('subjectId', answerIds).orderBy(['subjectId', 'step', 'position']),
  ])
  const of = Map.groupBy(calls, ({ subjectId, step }) => `${subjectId} ${step}`)
  const shown = steps.flatMap((row) => {
    const own = of.get(`${row.subjectId} ${row.step}`) ?? []
    return own.every(({ status }) => isFinal(status)) ? [{ answerId: row.subjectId, step: shownStep(row, own, 0) }] : []
  })
  const grouped = Map.groupBy(shown, ({ answerId }) => answerId)
  return new Map([...grouped].map(([id, rows]) => [id, rows.map(({ step }) => step)]))
}
